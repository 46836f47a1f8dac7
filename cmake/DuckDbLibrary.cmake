# DuckDB's C library, as `make deps` laid it out. Target: tidegate::duckdb.
set(duckdb ${TIDEGATE_DEPS_DIR}/duckdb)
if(NOT EXISTS ${duckdb}/include/duckdb.h)
  message(FATAL_ERROR "DuckDB is missing in ${duckdb}: run `make deps` first")
endif()
add_library(tidegate::duckdb SHARED IMPORTED GLOBAL)
set_target_properties(tidegate::duckdb PROPERTIES
  IMPORTED_LOCATION ${duckdb}/lib/libduckdb.so
  IMPORTED_NO_SONAME ON
  INTERFACE_INCLUDE_DIRECTORIES ${duckdb}/include)

# The extension by which lakes in buckets are queried lies beside the program: bin/tidegate, lib/tidegate/.
set(duckdb_httpfs ${duckdb}/extensions/httpfs.duckdb_extension)
if(NOT EXISTS ${duckdb_httpfs})
  message(FATAL_ERROR "DuckDB's extension httpfs is missing in ${duckdb}/extensions: run `make deps` first")
endif()
configure_file(${duckdb_httpfs} ${CMAKE_BINARY_DIR}/lib/tidegate/httpfs.duckdb_extension COPYONLY)
