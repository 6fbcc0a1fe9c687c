package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The programs that a server serves. A program may be there several times, for versions that do not
 * overlap. Immutable.
 */
final class ServedPrograms {
    private final List<RpcProgram> all;

    /** The ids of the programs, in the same order. */
    private final List<ProgramId> ids;

    /**
     * @throws IllegalArgumentException if two programs serve the same version, because one would
     *     never be called
     */
    ServedPrograms(Collection<? extends RpcProgram> programs) {
        all = List.copyOf(programs);
        ids = all.stream().map(RpcProgram::id).toList();
        for (int i = 0; i < all.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (ids.get(i).overlaps(ids.get(j))) {
                    throw new IllegalArgumentException(
                            ProgramId.name(ids.get(i).number())
                                    + " is served twice in the same version: "
                                    + versions(all.get(j))
                                    + ", and "
                                    + versions(all.get(i)));
                }
            }
        }
    }

    private static String versions(RpcProgram program) {
        return ProgramId.versions(program.id().lowestVersion(), program.id().highestVersion())
                + " by "
                + program.getClass().getName();
    }

    /** Returns these programs and one more. See the constructor for what it throws. */
    ServedPrograms with(RpcProgram program) {
        return new ServedPrograms(Stream.concat(all.stream(), Stream.of(program)).toList());
    }

    List<ProgramId> ids() {
        return ids;
    }

    /** Returns the program that serves the version of the call, or null if there is none. */
    RpcProgram find(CallHeader call) {
        int index = indexOf(call);
        return index < 0 ? null : all.get(index);
    }

    /** Returns the index of the program that serves the version of the call; -1 if none does. */
    int indexOf(CallHeader call) {
        for (int i = 0; i < ids.size(); i++) {
            if (ids.get(i).number() == call.program() && ids.get(i).serves(call.version())) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the ids of the program that the call is for, whichever version it asks for. */
    List<ProgramId> versionsOf(CallHeader call) {
        return ids.stream().filter(id -> id.number() == call.program()).toList();
    }

    static ProcedureDescriptor descriptor(RpcProgram program, CallHeader call) {
        return program.procedure(call.version(), call.procedure());
    }

    /** Returns the flavors that every program accepts. */
    Set<SecurityFlavor> flavors() {
        var flavors = EnumSet.allOf(SecurityFlavor.class);
        all.forEach(program -> flavors.retainAll(program.flavors()));
        return flavors;
    }

    List<UpperLayerBinding> bindings() {
        return all.stream().flatMap(program -> program.bindings().stream()).toList();
    }

    /** Returns how the first program that cares tells peers apart. */
    PeerIdentifier identifier() {
        return all.stream()
                .flatMap(program -> program.identifier().stream())
                .findFirst()
                .orElse(PeerIdentifier.BY_ADDRESS);
    }
}
