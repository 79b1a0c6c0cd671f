/* constants.h: numbers of the binary interfaces of MPI. Open MPI's handles are addresses of objects. */
#ifndef HCOMM_MPI_CONSTANTS_H
#define HCOMM_MPI_CONSTANTS_H

#define MPICH_IN_PLACE ((void *)-1)
#define MPICH_ERR_OTHER 15
#define MPICH_COMBINER_NAMED 1
#define MPICH_COMM_NULL 0x04000000
#define MPICH_COMM_WORLD 0x44000000
#define MPICH_COMM_SELF 0x44000001
#define MPICH_DATATYPE_NULL 0x0c000000

#define OMPI_IN_PLACE ((void *)1)
#define OMPI_ERR_OTHER 16
#define OMPI_COMBINER_NAMED 0

#define STANDARD_IN_PLACE ((void *)1)
#define STANDARD_ERR_OTHER 16
#define STANDARD_COMBINER_NAMED 101
#define STANDARD_COMM_NULL 0x100
#define STANDARD_COMM_WORLD 0x101
#define STANDARD_COMM_SELF 0x102
#define STANDARD_DATATYPE_NULL 0x200

/* Each predefined type: T(name, MPICH's number, Open MPI's object, MPI 5.0's number, what it is); 0 or none where an
 * interface has no such type. The size of one is asked of the host MPI. */
#define PREDEFINED_TYPES(T)                                          \
  T(CHAR, 0x4c000101, char, 0x243, OPAQUE)                           \
  T(SIGNED_CHAR, 0x4c000118, signed_char, 0x244, SIGNED)             \
  T(UNSIGNED_CHAR, 0x4c000102, unsigned_char, 0x245, UNSIGNED)       \
  T(BYTE, 0x4c00010d, byte, 0x247, BYTES)                            \
  T(PACKED, 0x4c00010f, packed, 0x207, OPAQUE)                       \
  T(WCHAR, 0x4c00040e, wchar, 0x23c, OPAQUE)                         \
  T(SHORT, 0x4c000203, short, 0x208, SIGNED)                         \
  T(UNSIGNED_SHORT, 0x4c000204, unsigned_short, 0x20c, UNSIGNED)     \
  T(INT, 0x4c000405, int, 0x209, SIGNED)                             \
  T(UNSIGNED, 0x4c000406, unsigned, 0x20d, UNSIGNED)                 \
  T(LONG, 0x4c000807, long, 0x20a, SIGNED)                           \
  T(UNSIGNED_LONG, 0x4c000808, unsigned_long, 0x20e, UNSIGNED)       \
  T(LONG_LONG, 0x4c000809, long_long_int, 0x20b, SIGNED)             \
  T(UNSIGNED_LONG_LONG, 0x4c000819, unsigned_long_long, 0x20f, UNSIGNED) \
  T(FLOAT, 0x4c00040a, float, 0x210, FLOATING)                       \
  T(DOUBLE, 0x4c00080b, double, 0x214, FLOATING)                     \
  T(LONG_DOUBLE, 0x4c00100c, long_double, 0x220, OPAQUE)             \
  T(INT8_T, 0x4c000137, int8_t, 0x240, SIGNED)                       \
  T(INT16_T, 0x4c000238, int16_t, 0x248, SIGNED)                     \
  T(INT32_T, 0x4c000439, int32_t, 0x250, SIGNED)                     \
  T(INT64_T, 0x4c00083a, int64_t, 0x258, SIGNED)                     \
  T(UINT8_T, 0x4c00013b, uint8_t, 0x241, UNSIGNED)                   \
  T(UINT16_T, 0x4c00023c, uint16_t, 0x249, UNSIGNED)                 \
  T(UINT32_T, 0x4c00043d, uint32_t, 0x251, UNSIGNED)                 \
  T(UINT64_T, 0x4c00083e, uint64_t, 0x259, UNSIGNED)                 \
  T(AINT, 0x4c000843, aint, 0x201, SIGNED)                           \
  T(OFFSET, 0x4c000844, offset, 0x203, SIGNED)                       \
  T(COUNT, 0x4c000845, count, 0x202, SIGNED)                         \
  T(C_BOOL, 0x4c00013f, c_bool, 0x238, TRUTH)                        \
  T(C_FLOAT_COMPLEX, 0x4c000840, c_float_complex, 0x212, COMPLEX)    \
  T(C_DOUBLE_COMPLEX, 0x4c001041, c_double_complex, 0x216, COMPLEX)  \
  T(CXX_BOOL, 0x4c000133, cxx_bool, 0x239, TRUTH)                    \
  T(CXX_FLOAT_COMPLEX, 0x4c000834, cxx_cplex, 0x213, COMPLEX)        \
  T(CXX_DOUBLE_COMPLEX, 0x4c001035, cxx_dblcplex, 0x217, COMPLEX)    \
  T(CHARACTER, 0x4c00011a, character, 0x21e, OPAQUE)                 \
  T(LOGICAL, 0x4c00041d, logical, 0x218, OPAQUE)                     \
  T(INTEGER, 0x4c00041b, integer, 0x219, SIGNED)                     \
  T(REAL, 0x4c00041c, real, 0x21a, FLOATING)                         \
  T(DOUBLE_PRECISION, 0x4c00081f, dblprec, 0x21c, FLOATING)          \
  T(COMPLEX, 0x4c00081e, cplex, 0x21b, COMPLEX)                      \
  T(DOUBLE_COMPLEX, 0x4c001022, dblcplex, 0x21d, COMPLEX)            \
  T(INTEGER1, 0x4c00012d, integer1, 0x2c1, SIGNED)                   \
  T(INTEGER2, 0x4c00022f, integer2, 0x2c9, SIGNED)                   \
  T(INTEGER4, 0x4c000430, integer4, 0x2d1, SIGNED)                   \
  T(INTEGER8, 0x4c000831, integer8, 0x2d9, SIGNED)                   \
  T(REAL4, 0x4c000427, real4, 0x2d2, FLOATING)                       \
  T(REAL8, 0x4c000829, real8, 0x2da, FLOATING)                       \
  T(COMPLEX8, 0x4c000828, complex8, 0x2db, COMPLEX)                  \
  T(COMPLEX16, 0x4c00102a, complex16, 0x2e3, COMPLEX)

/* Each predefined operator that hcomm has: O(name, MPICH's number, Open MPI's object, MPI 5.0's number, hcomm's). */
#define PREDEFINED_OPERATORS(O)                  \
  O(SUM, 0x58000003, sum, 0x21, hcommSum)        \
  O(PROD, 0x58000004, prod, 0x24, hcommProd)     \
  O(MAX, 0x58000001, max, 0x23, hcommMax)        \
  O(MIN, 0x58000002, min, 0x22, hcommMin)        \
  O(BAND, 0x58000006, band, 0x28, hcommBitAnd)   \
  O(BOR, 0x58000008, bor, 0x29, hcommBitOr)      \
  O(BXOR, 0x5800000a, bxor, 0x2a, hcommBitXor)   \
  O(LAND, 0x58000005, land, 0x30, hcommLogicalAnd) \
  O(LOR, 0x58000007, lor, 0x31, hcommLogicalOr)  \
  O(LXOR, 0x58000009, lxor, 0x32, hcommLogicalXor)

/* MPICH_INT, STANDARD_SUM and so on. */
#define NUMBERS(name, mpich, ompi, standard, meaning) MPICH_##name = mpich, STANDARD_##name = standard,
enum { PREDEFINED_TYPES(NUMBERS) PREDEFINED_OPERATORS(NUMBERS) };
#undef NUMBERS

#endif
