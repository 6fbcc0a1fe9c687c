package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Finds the functions of libibverbs.so.1, librdmacm.so.1 and the C library.
 *
 * <p>A function that is not there has a null handle. {@link #missing} then says what to install,
 * and callers ask it first.
 */
public final class Libraries {
    private static final String INSTALL =
            " was not found: install rdma-core with its providers (Debian: apt install"
                    + " ibverbs-providers librdmacm1)";

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** Why the libraries cannot be used, or null. Later lookups may add a reason. */
    private static String missing;

    private static final SymbolLookup VERBS = open("libibverbs.so.1");
    private static final SymbolLookup RDMACM = open("librdmacm.so.1");

    private Libraries() {}

    @SuppressWarnings("restricted")
    private static SymbolLookup open(String name) {
        if (!System.getProperty("os.name").equals("Linux")
                || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
            missing = "adapters are supported only on 64-bit Linux";
        } else if (!Libraries.class.getModule().isNativeAccessEnabled()) {
            missing = "Java may not call the libraries: add --enable-native-access=" + moduleName();
        }
        if (missing != null) {
            return _ -> Optional.empty();
        }
        try {
            return SymbolLookup.libraryLookup(name, Arena.global());
        } catch (IllegalArgumentException _) {
            missing = name + INSTALL;
            return _ -> Optional.empty();
        }
    }

    private static String moduleName() {
        var module = Libraries.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    /** Returns why adapters cannot be used, in one line; empty if the libraries are there. */
    static synchronized Optional<String> missing() {
        return Optional.ofNullable(missing);
    }

    static Function verbs(String name) {
        return find(VERBS, name, true);
    }

    static Function rdmacm(String name) {
        return find(RDMACM, name, true);
    }

    static Function c(String name) {
        return find(Linker.nativeLinker().defaultLookup(), name, false);
    }

    @SuppressWarnings("restricted")
    private static synchronized Function find(SymbolLookup in, String name, boolean isCommand) {
        if (missing != null) {
            return new Function(null, isCommand);
        }
        var found = in.find(name);
        if (found.isEmpty()) {
            missing = "this version of rdma-core has no function " + name;
            return new Function(null, isCommand);
        }
        return new Function(
                Linker.nativeLinker()
                        .downcallHandle(
                                found.get(),
                                Function.SIGNATURE,
                                Linker.Option.captureCallState("errno")),
                isCommand);
    }

    /** Returns a handle that calls the function whose address is its first argument. */
    @SuppressWarnings("restricted")
    static MethodHandle byAddress(MemoryLayout result, MemoryLayout... arguments) {
        return missing().isPresent()
                ? null
                : Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(result, arguments));
    }

    /** Returns memory for the error number of a call. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    /** Returns the error number after a failed call. */
    static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    /** Converts what a handle declares but native code cannot throw. */
    static RuntimeException thrown(Throwable failure) {
        if (failure instanceof RuntimeException unchecked) {
            return unchecked;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw new AssertionError("native code throws nothing", failure);
    }
}
