"""The rules of a table made into small arrays, which kernels follow."""
