# mneme_module(NAME [PRIVATE] DEPENDS other...) - the static library of src/NAME, PRIVATE: not for others to link; folders inside it join by
# mneme_module_sources(NAME folder...). It sees include/, src/ and what its
# dependencies see; a folder can therefore only link downwards. mneme_umbrella(NAMES) - mneme::mneme and the package.

function(mneme_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # The same bits on every machine: no contraction to fused multiply-add. The other two change no result; they let
  # the compiler vectorize floor and sqrt.
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math
                         -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict)  # GCC 12 sees overlaps in "text" + std::string that are not there
  endif()
  if(MNEME_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(MNEME_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns that ThreadSanitizer does not model fences. What readers and writers share is copied by
    # atomic operations in these builds (storage/stream_store.cpp), so nothing is hidden by that.
    target_compile_options(${target} PRIVATE -Wno-tsan)
  endif()
  if(MNEME_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${MNEME_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${MNEME_SANITIZE})
  endif()
  if(MNEME_ASSERTIONS)
    target_compile_definitions(${target} PRIVATE MNEME_ASSERTIONS=1 _GLIBCXX_ASSERTIONS=1)
  endif()
endfunction()

function(mneme_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PRIVATE" "" "DEPENDS")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(target mneme_${name})
  add_library(${target} STATIC ${sources})
  add_library(mneme::${name} ALIAS ${target})
  mneme_options(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_DEPENDS PREPEND mneme_ OUTPUT_VARIABLE depends)
  target_link_libraries(${target} PUBLIC ${depends})
  if(NOT arg_PRIVATE)
    install(TARGETS ${target} EXPORT mneme_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

function(mneme_module_sources name)
  foreach(folder ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/${folder}/*.cpp)
    target_sources(mneme_${name} PRIVATE ${sources})
  endforeach()
endfunction()

function(mneme_umbrella)
  add_library(mneme_all INTERFACE)
  add_library(mneme::mneme ALIAS mneme_all)
  set_target_properties(mneme_all PROPERTIES EXPORT_NAME mneme)
  list(TRANSFORM ARGN PREPEND mneme_ OUTPUT_VARIABLE modules)
  target_link_libraries(mneme_all INTERFACE ${modules})
  install(TARGETS mneme_all EXPORT mneme_targets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mneme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mneme)
  install(EXPORT mneme_targets NAMESPACE mneme:: DESTINATION ${package_dir})
  include(CMakePackageConfigHelpers)
  file(WRITE ${PROJECT_BINARY_DIR}/mneme-config.cmake "include(\"\${CMAKE_CURRENT_LIST_DIR}/mneme_targets.cmake\")\n")
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/mneme-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/mneme-config.cmake ${PROJECT_BINARY_DIR}/mneme-config-version.cmake
          DESTINATION ${package_dir})
endfunction()
