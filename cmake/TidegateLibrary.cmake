include(GoogleTest)

# tidegate_library(NAME SOURCES … [DEPS …] [TESTS …] [TEST_DEPS …])
#   One folder, one library: tidegate_NAME. TESTS become the program tidegate_NAME_test, each test known to ctest with
#   the label "unit".
function(tidegate_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TESTS;TEST_DEPS" ${ARGN})
  add_library(tidegate_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tidegate_${name} PUBLIC tidegate_options ${ARG_DEPS})
  if(ARG_TESTS)
    add_executable(tidegate_${name}_test ${ARG_TESTS})
    target_link_libraries(tidegate_${name}_test PRIVATE tidegate_${name} ${ARG_TEST_DEPS} GTest::gmock GTest::gtest_main)
    gtest_discover_tests(tidegate_${name}_test PROPERTIES LABELS unit TIMEOUT 120 DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
