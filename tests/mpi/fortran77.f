! The served collectives from Fortran with mpif.h, in fixed form:
! blocking and begun, in place, of each type of Fortran, with a derived
! type and an operator of the program, and MPI_WAITALL over requests of
! all sorts.
!
! flags: -fallow-argument-mismatch -w
! run: 1 %p
! run: 2 %p
! run openmpi: 4 %p
! run mpich: 3 %p
! serves: allreduce reduce bcast allgather alltoall reduce_scatter_block
! serves: gather scatter barrier iallreduce ireduce ibcast iallgather
! serves: ialltoall ireduce_scatter_block igather iscatter ibarrier
      program fortran77
      implicit none
      include 'mpif.h'
      integer me, n, comm, ierr
      common /job/ me, n, comm

      call mpi_init(ierr)
      call ok(ierr, 'mpi_init')
      call mpi_comm_rank(mpi_comm_world, me, ierr)
      call mpi_comm_size(mpi_comm_world, n, ierr)
      call mpi_comm_dup(mpi_comm_world, comm, ierr)
      call ok(ierr, 'mpi_comm_dup')
      call mpi_barrier(comm, ierr)
      call ok(ierr, 'mpi_barrier')
      call mpi_barrier(comm, ierr)
      call numbers
      call moved
      call begun
      call derived
      call own
      call mpi_comm_free(comm, ierr)
      call mpi_finalize(ierr)
      call ok(ierr, 'mpi_finalize')
      end

      subroutine ok(ierr, what)
      implicit none
      include 'mpif.h'
      integer ierr
      character*(*) what
      if (ierr .ne. mpi_success) call fail(what)
      end

      subroutine fail(what)
      implicit none
      integer me, n, comm
      common /job/ me, n, comm
      character*(*) what
      write (0, *) 'fortran77: rank ', me, ' of ', n, ': ', what
      error stop 1
      end

      subroutine check(good, what)
      implicit none
      logical good
      character*(*) what
      if (.not. good) call fail(what)
      end

! All types that reductions allow.
      subroutine numbers
      implicit none
      include 'mpif.h'
      integer me, n, comm, ierr, i, k(3), ksum(3)
      real r(5), rsum(5)
      double precision d(1000), dsum(1000)
      complex c, csum
      double complex z, zsum
      integer*8 long, longest
      logical mine, any, every
      common /job/ me, n, comm

      do i = 1, 3
        k(i) = me + i
      end do
      call mpi_allreduce(k, ksum, 3, mpi_integer, mpi_sum, comm, ierr)
      call check(ksum(3) .eq. 3 * n + n * (n - 1) / 2, 'integer')
      call mpi_allreduce(mpi_in_place, k, 3, mpi_integer, mpi_max,
     &                   comm, ierr)
      call check(k(2) .eq. n + 1, 'integer, in place')
      do i = 1, 5
        r(i) = real(me) + 0.5
      end do
      call mpi_reduce(r, rsum, 5, mpi_real, mpi_sum, n - 1, comm, ierr)
      if (me .eq. n - 1) call check(rsum(5) .eq.
     &  0.5 * n + n * (n - 1) / 2, 'real')
      if (me .eq. 0) then
        call mpi_reduce(mpi_in_place, r, 5, mpi_real, mpi_min, 0, comm,
     &                  ierr)
        call check(r(1) .eq. 0.5, 'real, in place')
      else
        call mpi_reduce(r, rsum, 5, mpi_real, mpi_min, 0, comm, ierr)
      end if
      do i = 1, 1000
        d(i) = me + i
      end do
      call mpi_allreduce(d, dsum, 1000, mpi_double_precision, mpi_sum,
     &                   comm, ierr)
      call check(dsum(1000) .eq. 1000d0 * n + n * (n - 1) / 2,
     &           'double precision')
      c = cmplx(me, 1)
      call mpi_allreduce(c, csum, 1, mpi_complex, mpi_sum, comm, ierr)
      call check(csum .eq. cmplx(n * (n - 1) / 2, n), 'complex')
      z = dcmplx(1, me)
      call mpi_allreduce(z, zsum, 1, mpi_double_complex, mpi_sum, comm,
     &                   ierr)
      call check(zsum .eq. dcmplx(n, n * (n - 1) / 2),
     &           'double complex')
      long = 2_8 ** 40 + me
      call mpi_allreduce(long, longest, 1, mpi_integer8, mpi_max, comm,
     &                   ierr)
      call check(longest .eq. 2_8 ** 40 + n - 1, 'integer*8')
      mine = me .eq. n - 1
      call mpi_allreduce(mine, any, 1, mpi_logical, mpi_lor, comm, ierr)
      call mpi_allreduce(mine, every, 1, mpi_logical, mpi_land, comm,
     &                   ierr)
      call check(any .and. (every .eqv. n .eq. 1), 'logical')
      end

      subroutine moved
      implicit none
      include 'mpif.h'
      integer me, n, comm, ierr, r, x(8), y(8), all(16)
      common /job/ me, n, comm

      x(1) = -1
      if (me .eq. n - 1) x(1) = 77
      call mpi_bcast(x, 1, mpi_integer, n - 1, comm, ierr)
      call check(x(1) .eq. 77, 'bcast')
      x(1) = me
      x(2) = -me
      call mpi_allgather(x, 2, mpi_integer, all, 2, mpi_integer, comm,
     &                   ierr)
      do r = 0, n - 1
        call check(all(2 * r + 1) .eq. r .and. all(2 * r + 2) .eq. -r,
     &             'allgather')
        all(2 * r + 1) = -9
      end do
      all(me + 1) = 10 + me
      call mpi_allgather(mpi_in_place, 0, mpi_integer, all, 1,
     &                   mpi_integer, comm, ierr)
      call check(all(n) .eq. 10 + n - 1, 'allgather, in place')
      do r = 1, n
        x(r) = 10 * me + r
      end do
      call mpi_alltoall(x, 1, mpi_integer, y, 1, mpi_integer, comm,
     &                  ierr)
      do r = 1, n
        call check(y(r) .eq. 10 * (r - 1) + me + 1, 'alltoall')
      end do
      call mpi_reduce_scatter_block(x, y, 1, mpi_integer, mpi_sum, comm,
     &                              ierr)
      call check(y(1) .eq. n * (me + 1) + 5 * n * (n - 1),
     &           'reduce_scatter_block')
      call mpi_gather(me, 1, mpi_integer, y, 1, mpi_integer, 0, comm,
     &                ierr)
      if (me .eq. 0) call check(y(n) .eq. n - 1, 'gather')
      if (me .eq. 0) then
        call mpi_scatter(x, 1, mpi_integer, mpi_in_place, 1,
     &                   mpi_integer, 0, comm, ierr)
      else
        call mpi_scatter(x, 1, mpi_integer, y, 1, mpi_integer, 0, comm,
     &                   ierr)
        call check(y(1) .eq. me + 1, 'scatter')
      end if
      end

! Requests of all sorts, completed together.
      subroutine begun
      implicit none
      include 'mpif.h'
      integer me, n, comm, ierr, i, r, x(8), y(8, 9), q(11)
      integer states(mpi_status_size, 11), message, flag
      logical done
      common /job/ me, n, comm

      do i = 1, 20
        do r = 1, n
          x(r) = 10 * me + r
        end do
        y(1, 3) = me + i
        call mpi_irecv(message, 1, mpi_integer, mod(me + 1, n), i, comm,
     &                 q(1), ierr)
        call mpi_iallreduce(x, y(1, 1), 1, mpi_integer, mpi_max, comm,
     &                      q(2), ierr)
        call mpi_ireduce(x, y(1, 2), 1, mpi_integer, mpi_sum, 0, comm,
     &                   q(3), ierr)
        call mpi_ibcast(y(1, 3), 1, mpi_integer, n - 1, comm, q(4),
     &                  ierr)
        call mpi_iallgather(x, 1, mpi_integer, y(1, 4), 1, mpi_integer,
     &                      comm, q(5), ierr)
        call mpi_ialltoall(x, 1, mpi_integer, y(1, 5), 1, mpi_integer,
     &                     comm, q(6), ierr)
        call mpi_ireduce_scatter_block(x, y(1, 6), 1, mpi_integer,
     &                                 mpi_sum, comm, q(7), ierr)
        call mpi_igather(x, 1, mpi_integer, y(1, 7), 1, mpi_integer, 0,
     &                   comm, q(8), ierr)
        call mpi_iscatter(x, 1, mpi_integer, y(1, 8), 1, mpi_integer, 0,
     &                    comm, q(9), ierr)
        call mpi_ibarrier(comm, q(10), ierr)
        flag = 100 * me + i
        call mpi_isend(flag, 1, mpi_integer, mod(me + n - 1, n), i,
     &                 comm, q(11), ierr)
        if (mod(i, 4) .eq. 0) then
          call mpi_waitall(11, q, mpi_statuses_ignore, ierr)
        else if (mod(i, 4) .eq. 1) then
          call mpi_waitall(11, q, states, ierr)
          call check(states(mpi_tag, 1) .eq. i .and.
     &      states(mpi_source, 1) .eq. mod(me + 1, n), 'status')
        else if (mod(i, 4) .eq. 2) then
          do r = 11, 1, -1
            call mpi_wait(q(r), mpi_status_ignore, ierr)
          end do
        else
          done = .false.
          do while (.not. done)
            call mpi_testall(11, q, done, states, ierr)
          end do
        end if
        call ok(ierr, 'waitall')
        do r = 1, 11
          call check(q(r) .eq. mpi_request_null, 'request')
        end do
        call check(message .eq. 100 * mod(me + 1, n) + i, 'message')
        call check(y(1, 1) .eq. 10 * (n - 1) + 1, 'iallreduce')
        if (me .eq. 0) call check(y(1, 2) .eq. 5 * n * (n - 1) + n,
     &                            'ireduce')
        call check(y(1, 3) .eq. n - 1 + i, 'ibcast')
        call check(y(n, 4) .eq. 10 * (n - 1) + 1, 'iallgather')
        call check(y(n, 5) .eq. 10 * (n - 1) + me + 1, 'ialltoall')
        call check(y(1, 6) .eq. n * (me + 1) + 5 * n * (n - 1),
     &             'ireduce_scatter_block')
        if (me .eq. 0) call check(y(n, 7) .eq. 10 * (n - 1) + 1,
     &                            'igather')
        call check(y(1, 8) .eq. me + 1, 'iscatter')
      end do
      end

! A row of a matrix, which is sent by one rank only.
      subroutine derived
      implicit none
      include 'mpif.h'
      integer me, n, comm, ierr, i, j, row, a(5, 7), x(7)
      common /job/ me, n, comm

      do j = 1, 7
        do i = 1, 5
          a(i, j) = 100 * i + j
        end do
      end do
      call mpi_type_vector(7, 1, 5, mpi_integer, row, ierr)
      call mpi_type_commit(row, ierr)
      do i = 1, 5
        if (me .eq. 0) then
          call mpi_bcast(a(i, 1), 1, row, 0, comm, ierr)
        else
          call mpi_bcast(x, 7, mpi_integer, 0, comm, ierr)
          call check(x(7) .eq. 100 * i + 7 .and. x(1) .eq. 100 * i + 1,
     &               'row')
        end if
      end do
      call mpi_type_free(row, ierr)
      end

! An operator of the program: the greater one in absolute value.
      subroutine own
      implicit none
      include 'mpif.h'
      integer me, n, comm, ierr, op, x, y
      external greater
      common /job/ me, n, comm

      call mpi_op_create(greater, .true., op, ierr)
      x = -me - 1
      call mpi_allreduce(x, y, 1, mpi_integer, op, comm, ierr)
      call check(y .eq. -n, 'operator')
      call mpi_op_free(op, ierr)
      end

      subroutine greater(a, b, length, datatype)
      implicit none
      integer length, datatype, a(length), b(length), i
      do i = 1, length
        if (abs(a(i)) .gt. abs(b(i))) b(i) = a(i)
      end do
      end
