# Arrow and Parquet from the pyarrow wheel that `make deps` unpacked. Targets: tidegate::arrow, tidegate::parquet.
set(site ${TIDEGATE_DEPS_DIR}/pyarrow-site/pyarrow)
if(NOT EXISTS ${site}/include/arrow/api.h)
  message(FATAL_ERROR "Arrow is missing in ${site}: run `make deps` first")
endif()
file(STRINGS ${site}/include/arrow/util/config.h soversion REGEX "ARROW_SO_VERSION")
string(REGEX REPLACE ".*\"([0-9]+)\".*" "\\1" soversion "${soversion}")
foreach(lib arrow parquet arrow_compute)
  string(REPLACE "_" "-" target ${lib})
  add_library(tidegate::${lib} SHARED IMPORTED GLOBAL)
  set_target_properties(tidegate::${lib} PROPERTIES
    IMPORTED_LOCATION ${site}/lib${lib}.so.${soversion}
    IMPORTED_SONAME lib${lib}.so.${soversion}
    INTERFACE_INCLUDE_DIRECTORIES ${site}/include)
endforeach()
target_link_libraries(tidegate::arrow_compute INTERFACE tidegate::arrow)
target_link_libraries(tidegate::parquet INTERFACE tidegate::arrow tidegate::arrow_compute)
