# Reads what a job printed with HCOMM_MPI_REPORT=1, and prints for each collective how many calls were served and passed on:
#
#   COLLECTIVE SERVED PASSED_ON
#
# A row of the report is "hcomm: COLLECTIVE BYTES SERVED PASSED_ON SECONDS WHY", and there is one for each size class.
$1 == "hcomm:" && $2 ~ /^[a-z_]+$/ && $4 ~ /^[0-9]+$/ && $5 ~ /^[0-9]+$/ {
  served[$2] += $4
  passed_on[$2] += $5
}
END {
  for (collective in served) print collective, served[collective], passed_on[collective]
}
