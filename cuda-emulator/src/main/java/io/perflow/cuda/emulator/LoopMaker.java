package io.perflow.cuda.emulator;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A maker of the loop over the threads for a scalar function: from {@code static float add(float a,
 * float b)} it makes a class with {@code for (i …) d[i] = add(a[i], b[i])}.
 *
 * <p>One class for each function, because the compiler of the JVM turns a loop into vector code
 * only when it sees what the loop calls: a single loop that is handed the function as an object
 * would call it through a table for every element. Writing these loops by hand would be the same
 * hundred and fifty loops twice, once for neighbouring threads and once for a list of them.
 */
final class LoopMaker {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ClassDesc SELF =
      ClassDesc.of(LoopMaker.class.getPackageName() + ".GeneratedLoop");
  private static final ClassDesc OBJECTS = CD_Object.arrayType();
  private static final ClassDesc INTS = CD_int.arrayType();
  private static final Map<Method, MethodHandle> MAKERS = new ConcurrentHashMap<>();

  private LoopMaker() {}

  /** Returns the loop of a scalar function; {@code registers} are result and arguments. */
  static Op loop(Method function, Object... registers) {
    try {
      return (Op) MAKERS.computeIfAbsent(function, LoopMaker::define).invoke(registers);
    } catch (Throwable e) {
      throw new IllegalStateException("the loop of " + function.getName() + " cannot be made", e);
    }
  }

  private static MethodHandle define(Method function) {
    ClassDesc[] arrays = new ClassDesc[1 + function.getParameterCount()];
    arrays[0] = descriptor(function.getReturnType()).arrayType();
    for (int i = 1; i < arrays.length; i++) {
      arrays[i] = descriptor(function.getParameterTypes()[i - 1]).arrayType();
    }
    byte[] bytes = ClassFile.of().build(SELF, c -> build(c, function, arrays));
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClass(bytes, true);
      return made.findConstructor(
          made.lookupClass(), MethodType.methodType(void.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void build(ClassBuilder c, Method function, ClassDesc[] arrays) {
    c.withFlags(AccessFlag.FINAL).withInterfaceSymbols(descriptor(Op.class));
    for (int i = 0; i < arrays.length; i++) {
      c.withField("r" + i, arrays[i], ClassFile.ACC_FINAL | ClassFile.ACC_PRIVATE);
    }
    c.withMethodBody(
        INIT_NAME, MethodTypeDesc.of(CD_void, OBJECTS), 0, code -> constructor(code, arrays));
    c.withMethodBody(
        "run",
        MethodTypeDesc.of(CD_void, descriptor(Frame.class), CD_int, CD_int),
        ClassFile.ACC_PUBLIC,
        code -> loop(code, function, arrays, false));
    c.withMethodBody(
        "run",
        MethodTypeDesc.of(CD_void, INTS, CD_int, CD_int),
        ClassFile.ACC_PUBLIC,
        code -> loop(code, function, arrays, true));
  }

  private static void constructor(CodeBuilder code, ClassDesc[] arrays) {
    code.aload(0).invokespecial(CD_Object, INIT_NAME, ConstantDescs.MTD_void);
    for (int i = 0; i < arrays.length; i++) {
      code.aload(0).aload(1).loadConstant(i).aaload().checkcast(arrays[i]);
      code.putfield(SELF, "r" + i, arrays[i]);
    }
    code.return_();
  }

  /** Slots: 0 this, 1 lanes or frame, 2 from, 3 to, 4 the thread, 5 and on the registers. */
  private static void loop(CodeBuilder code, Method function, ClassDesc[] arrays, boolean listed) {
    for (int i = 0; i < arrays.length; i++) {
      code.aload(0).getfield(SELF, "r" + i, arrays[i]).astore(5 + i);
    }
    var test = code.newLabel();
    var body = code.newLabel();
    code.goto_(test).labelBinding(body);
    if (listed) {
      code.aload(1).iload(2).iaload().istore(4);
    }
    int index = listed ? 4 : 2;
    code.aload(5).iload(index);
    for (int i = 1; i < arrays.length; i++) {
      code.aload(5 + i).iload(index).arrayLoad(element(arrays[i]));
    }
    code.invokestatic(
        descriptor(function.getDeclaringClass()), function.getName(), signature(function));
    code.arrayStore(element(arrays[0])).iinc(2, 1);
    code.labelBinding(test).iload(2).iload(3).if_icmplt(body).return_();
  }

  private static TypeKind element(ClassDesc array) {
    return TypeKind.from(array.componentType());
  }

  private static MethodTypeDesc signature(Method function) {
    return MethodType.methodType(function.getReturnType(), function.getParameterTypes())
        .describeConstable()
        .orElseThrow();
  }

  private static ClassDesc descriptor(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }
}
