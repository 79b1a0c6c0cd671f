/* mpi_handles.h: the datatypes and operators of the MPI-style half, and what they are in the NCCL-style half. */
#ifndef MPI_HANDLES_H
#define MPI_HANDLES_H

#include "check.h"

/* What a handle of the MPI ABI is worked on as. */
static const struct datatype {
  HCOMM_Datatype handle;
  hcommDataType_t as;
} datatypes[] = {
    {HCOMM_AINT, hcommInt64}, {HCOMM_COUNT, hcommInt64}, {HCOMM_OFFSET, hcommInt64},
    {HCOMM_SHORT, hcommInt16}, {HCOMM_INT, hcommInt32}, {HCOMM_LONG, hcommInt64}, {HCOMM_LONG_LONG, hcommInt64},
    {HCOMM_UNSIGNED_SHORT, hcommUint16}, {HCOMM_UNSIGNED, hcommUint32}, {HCOMM_UNSIGNED_LONG, hcommUint64},
    {HCOMM_UNSIGNED_LONG_LONG, hcommUint64}, {HCOMM_FLOAT, hcommFloat32}, {HCOMM_DOUBLE, hcommFloat64},
    {HCOMM_C_BOOL, hcommUint8}, {HCOMM_INT8_T, hcommInt8}, {HCOMM_UINT8_T, hcommUint8}, {HCOMM_CHAR, hcommInt8},
    {HCOMM_SIGNED_CHAR, hcommInt8}, {HCOMM_UNSIGNED_CHAR, hcommUint8}, {HCOMM_BYTE, hcommUint8},
    {HCOMM_INT16_T, hcommInt16}, {HCOMM_UINT16_T, hcommUint16}, {HCOMM_INT32_T, hcommInt32},
    {HCOMM_UINT32_T, hcommUint32}, {HCOMM_INT64_T, hcommInt64}, {HCOMM_UINT64_T, hcommUint64},
};

static const struct {
  HCOMM_Op handle;
  hcommRedOp_t as;
} operators[] = {
    {HCOMM_SUM, hcommSum}, {HCOMM_PROD, hcommProd}, {HCOMM_MAX, hcommMax}, {HCOMM_MIN, hcommMin}, /* these four are for every type */
    {HCOMM_BAND, hcommBitAnd}, {HCOMM_BOR, hcommBitOr}, {HCOMM_BXOR, hcommBitXor},
    {HCOMM_LAND, hcommLogicalAnd}, {HCOMM_LOR, hcommLogicalOr}, {HCOMM_LXOR, hcommLogicalXor},
};

#endif
