# Compiler settings of every target; the presets choose among them.
option(TIDEGATE_WERROR "Treat warnings as errors" OFF)
set(TIDEGATE_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize takes them")
option(TIDEGATE_COVERAGE "Count which lines run" OFF)
set(TIDEGATE_DEPS_DIR ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "Where `make deps` put the downloaded dependencies")

add_library(tidegate_options INTERFACE)
target_include_directories(tidegate_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(tidegate_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-restrict)  # -Wrestrict: false alarms in g++ 12 (GCC bug 105329)
if(TIDEGATE_WERROR)
  target_compile_options(tidegate_options INTERFACE -Werror)
endif()
if(TIDEGATE_SANITIZE)
  # -Wmaybe-uninitialized gives false alarms on instrumented code in g++ 12 (GCC bug 105562).
  target_compile_options(tidegate_options INTERFACE -fsanitize=${TIDEGATE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(tidegate_options INTERFACE -fsanitize=${TIDEGATE_SANITIZE})
endif()
if(TIDEGATE_COVERAGE)
  target_compile_options(tidegate_options INTERFACE --coverage -O0)
  target_link_options(tidegate_options INTERFACE --coverage)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
