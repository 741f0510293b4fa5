package io.perflow.cuda.driver;

import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerCompile;
import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerCreate;
import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerDestroy;
import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerGetErrorLog;
import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerGetErrorLogSize;
import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerGetInfoLog;
import static jcuda.nvptxcompiler.JNvPTXCompiler.nvPTXCompilerGetInfoLogSize;

import io.perflow.cuda.emulator.ptx.PtxModule;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;

/**
 * NVIDIA's assembler of CUDA 11.8, which JCuda's native library contains: it needs neither a device
 * nor a driver. What it accepts, a driver of that version accepts.
 */
public final class PtxAssembler {
  /** The architectures every kernel is assembled for: Volta to Hopper. */
  public static final List<String> ARCHITECTURES =
      List.of("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90");

  private static final Pattern KERNEL =
      Pattern.compile("Compiling entry function '([^']+)' for '(sm_\\d+)'");
  private static final Pattern SPILLS =
      Pattern.compile(
          "(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
  private static final Pattern REGISTERS = Pattern.compile("Used (\\d+) registers");
  private static final Pattern SHARED = Pattern.compile("(\\d+) bytes smem");

  static {
    JCudaNatives.load(() -> JNvPTXCompiler.setExceptionsEnabled(false));
  }

  private PtxAssembler() {}

  /** What a kernel needs of a device; sizes in bytes. */
  public record Usage(int registers, int shared, int stack, int spills) {}

  /** Whether the text was accepted, the messages, and what each kernel needs. */
  public record Result(boolean accepted, String messages, Map<String, Usage> kernels) {}

  /** Assembles a PTX file for all architectures from the one it is written for on. */
  public static Map<String, Result> all(String ptx) {
    int target = number(PtxModule.parse(ptx).target());
    var results = new TreeMap<String, Result>();
    for (String architecture : ARCHITECTURES) {
      if (number(architecture) >= target) {
        results.put(architecture, assemble(ptx, architecture));
      }
    }
    return results;
  }

  private static int number(String architecture) {
    return Integer.parseInt(architecture.substring("sm_".length()));
  }

  /** Assembles a PTX file for an architecture as in {@code sm_80}. */
  public static Result assemble(String ptx, String architecture) {
    var handle = new nvPTXCompilerHandle();
    byte[] text = (ptx + "\0").getBytes(StandardCharsets.ISO_8859_1);
    nvPTXCompilerCreate(handle, text.length, text);
    int code = nvPTXCompilerCompile(handle, 2, new String[] {"--gpu-name=" + architecture, "-v"});
    String errors = errorLog(handle);
    String info = infoLog(handle);
    nvPTXCompilerDestroy(handle);
    return new Result(code == 0, code == 0 ? info : errors, code == 0 ? usage(info) : Map.of());
  }

  private static String errorLog(nvPTXCompilerHandle handle) {
    long[] size = new long[1];
    nvPTXCompilerGetErrorLogSize(handle, size);
    byte[] text = new byte[(int) size[0] + 1];
    nvPTXCompilerGetErrorLog(handle, text);
    return new String(text, 0, (int) size[0], StandardCharsets.UTF_8);
  }

  private static String infoLog(nvPTXCompilerHandle handle) {
    long[] size = new long[1];
    nvPTXCompilerGetInfoLogSize(handle, size);
    byte[] text = new byte[(int) size[0] + 1];
    nvPTXCompilerGetInfoLog(handle, text);
    return new String(text, 0, (int) size[0], StandardCharsets.UTF_8);
  }

  /** The log has for each kernel its name, then lines on the stack, then one on the rest. */
  static Map<String, Usage> usage(String log) {
    var found = new TreeMap<String, Usage>();
    String kernel = "";
    int stack = 0;
    int spills = 0;
    for (String line : log.lines().toList()) {
      var name = KERNEL.matcher(line);
      var frame = SPILLS.matcher(line);
      var registers = REGISTERS.matcher(line);
      if (name.find()) {
        kernel = name.group(1);
        stack = 0;
        spills = 0;
      } else if (frame.find()) {
        // Functions that the kernel calls have lines of their own.
        stack += Integer.parseInt(frame.group(1));
        spills += Integer.parseInt(frame.group(2)) + Integer.parseInt(frame.group(3));
      } else if (registers.find()) {
        var shared = SHARED.matcher(line);
        int bytes = shared.find() ? Integer.parseInt(shared.group(1)) : 0;
        found.put(kernel, new Usage(Integer.parseInt(registers.group(1)), bytes, stack, spills));
      }
    }
    return found;
  }
}
