# Leave out what llama.cpp's own programs share: no Python code uses it, and it takes as long to compile as the library.
# llama-cpp-python forces the option on in the cache; a plain variable comes before the cache (CMake policy CMP0126).
set(LLAMA_BUILD_COMMON OFF)
