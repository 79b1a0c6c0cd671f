# Starts MPI jobs; scripts in this folder source it, after check.sh.
# shellcheck shell=bash

# here MPI: it is installed; if not, that is said.
here() {
  local command packages="openmpi-bin, libopenmpi-dev"
  [ "$1" != mpich ] || packages="mpich, libmpich-dev"
  for command in "mpicc.$1" "mpicxx.$1" "mpirun.$1"; do
    command -v "$command" >/dev/null && continue
    skip "$1: there is no $command (Debian: $packages)"
    return 1
  done
}

# launcher MPI: sets launch to the command that starts jobs, as root, and with more ranks than there are processors, too.
launcher() {
  # shellcheck disable=SC2034 # for who calls it
  case $1 in
  openmpi) launch=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none) ;;
  mpich) launch=(mpirun.mpich -bind-to none) ;;
  esac
}
