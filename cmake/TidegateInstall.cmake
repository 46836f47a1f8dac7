# What `make install` lays out under a prefix: bin/tidegate, lib/tidegate/ with every shared library it needs beyond the
# C and C++ run-time and libcurl with OpenSSL, share/doc/tidegate/ with all licences. Nothing there looks outside the prefix.
if(NOT TARGET tidegate)
  return()
endif()
set_target_properties(tidegate PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/tidegate")
install(TARGETS tidegate
  RUNTIME_DEPENDENCIES
    PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s|curl|ssl|crypto))\\.so.*"
  RUNTIME DESTINATION bin
  LIBRARY DESTINATION lib/tidegate)

install(FILES ${duckdb_httpfs} DESTINATION lib/tidegate)

set(licences share/doc/tidegate/licences)
install(FILES LICENSE NOTICE README.md DESTINATION share/doc/tidegate OPTIONAL)
file(GLOB arrow_licences ${TIDEGATE_DEPS_DIR}/pyarrow-site/pyarrow-*.dist-info/licenses/*.txt)
install(FILES ${arrow_licences} DESTINATION ${licences}/arrow)
install(FILES ${TIDEGATE_DEPS_DIR}/duckdb/lib/LICENSE DESTINATION ${licences}/duckdb)
# Debian's packages whose code is in the program (headers) or beside it (shared libraries).
foreach(package libcli11-dev libfmt-dev nlohmann-json3-dev libsqlite3-dev libtomlplusplus-dev libxxhash-dev zlib1g-dev libpugixml-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${licences}/${package})
  endif()
endforeach()
