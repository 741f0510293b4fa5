package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.PtxModule;
import io.perflow.cuda.emulator.ptx.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The variables of a module in the memory of the device. */
final class ModuleImage {
  /** The constant bank, with the variables at the offsets in {@link #constantOffsets}. */
  final byte[] constants;

  final Map<String, Integer> constantOffsets = new HashMap<>();
  final Map<String, Allocation> globals = new HashMap<>();

  /** Shared variables that all kernels of the module see, dynamic memory among them. */
  final List<Variable> shared = new ArrayList<>();

  ModuleImage(PtxModule module, DeviceMemory memory) {
    int size = 0;
    for (Variable v : module.variables()) {
      switch (v.space()) {
        case "shared" -> shared.add(v);
        case "const" -> {
          size = Program.roundUp(size, v.alignment());
          constantOffsets.put(v.name(), size);
          size += v.bytes();
        }
        default -> {
          Allocation a = memory.allocate(v.bytes(), "variable " + v.name());
          // A variable without an initial value is zero by definition.
          byte[] initial = v.initial();
          java.util.Arrays.fill(a.data, (byte) 0);
          System.arraycopy(initial, 0, a.data, 0, initial.length);
          globals.put(v.name(), a);
        }
      }
    }
    constants = new byte[size];
    for (Variable v : module.variables()) {
      if (v.space().equals("const")) {
        byte[] initial = v.initial();
        System.arraycopy(initial, 0, constants, constantOffsets.get(v.name()), initial.length);
      }
    }
  }
}
