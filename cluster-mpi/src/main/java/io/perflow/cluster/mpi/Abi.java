package io.perflow.cluster.mpi;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/**
 * What the standard leaves to each library: handles are integers in MPICH and its kin, addresses of
 * symbols in Open MPI, and fixed numbers in the form of pointers in the standard ABI of MPI 5.
 *
 * @param handle how a handle is passed; it alone has a name
 * @param world the communicator of all processes
 * @param bytes the type of bytes
 * @param single the type of numbers in single precision
 * @param sum the operation that adds up
 * @param errorsReturn the handler that leaves errors to the caller
 * @param anySource stands for every sender
 * @param serialized the level at which threads take turns
 * @param truncated the class of the error that a message is longer than its room
 * @param inPlace stands for a buffer that is both read and written
 */
record Abi(
    MemoryLayout handle,
    long world,
    long bytes,
    long single,
    long sum,
    long errorsReturn,
    int anySource,
    int serialized,
    int truncated,
    long inPlace) {
  private static final MemoryLayout NUMBER = ValueLayout.JAVA_INT.withName("handle");
  private static final MemoryLayout POINTER = ValueLayout.JAVA_LONG.withName("handle");

  /** Bytes that hold the status of any library, the largest of which has 32. */
  static final int STATUS = 64;

  /** Of MPICH and all that promise its ABI: Intel MPI, MVAPICH, Cray MPICH. */
  static Abi mpich() {
    return new Abi(
        NUMBER, 0x44000000, 0x4c00010d, 0x4c00040a, 0x58000003, 0x54000001, -2, 2, 14, -1);
  }

  /** Of Open MPI, whose handles are where its own objects lie. */
  static Abi openMpi(SymbolLookup library) {
    return new Abi(
        POINTER,
        address(library, "ompi_mpi_comm_world"),
        address(library, "ompi_mpi_byte"),
        address(library, "ompi_mpi_float"),
        address(library, "ompi_mpi_op_sum"),
        address(library, "ompi_mpi_errors_return"),
        -1,
        2,
        15,
        1);
  }

  /** Of the standard itself, since version 5. */
  static Abi standard() {
    return new Abi(POINTER, 0x101, 0x247, 0x210, 0x21, 0x142, -1, 2048, 15, 1);
  }

  private static long address(SymbolLookup library, String name) {
    return library.find(name).map(MemorySegment::address).orElseThrow();
  }

  /**
   * The ABI of a library.
   *
   * @param file the library's name; that of the standard ABI is fixed
   * @param version what the library says about itself
   */
  static Abi of(SymbolLookup library, String file, String version) {
    if (file.contains("mpi_abi")) {
      return standard();
    }
    if (library.find("ompi_mpi_comm_world").isPresent()) {
      return openMpi(library);
    }
    if (version.matches("(?s).*(MPICH|Intel\\(R\\) MPI|MVAPICH).*")) {
      return mpich();
    }
    throw new IllegalStateException(
        ("%s says '%s', whose binary interface is unknown here; name a library of MPICH, Open MPI"
                + " or the standard ABI of MPI 5 (libmpi_abi) with -D%s=FILE")
            .formatted(file, version.strip().lines().findFirst().orElse(""), Library.SETTING));
  }
}
