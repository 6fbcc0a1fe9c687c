package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.names.NamedProgram;
import io.github.rpcrdma4j.rpcrdma.rfc5666.ConfRdma;
import java.util.Optional;

/** Returns the names of programs and procedures, or their numbers if they are unknown. */
final class ProgramNames {
    private ProgramNames() {}

    /** Returns the name of a procedure of a known program. */
    static String of(NamedProgram program, int procedure) {
        return versioned(program.name(), program.version())
                + program.procedure(procedure).orElseGet(() -> number(procedure));
    }

    /** Returns the name of a procedure by its numbers. */
    static String of(int program, int version, int procedure) {
        var known = NamedProgram.of(program, version);
        if (known.isPresent()) {
            return of(known.get(), procedure);
        }
        return name(program)
                .map(name -> versioned(name, version) + configuration(program, version, procedure))
                .orElseGet(
                        () ->
                                "program "
                                        + Integer.toUnsignedString(program)
                                        + " version "
                                        + Integer.toUnsignedString(version)
                                        + " "
                                        + number(procedure));
    }

    private static Optional<String> name(int program) {
        return program == ConfRdma.PROGRAM ? Optional.of("CONF_RDMA") : NamedProgram.name(program);
    }

    /** Returns the name of a procedure of the configuration protocol (RFC 5666, Section 6.2). */
    private static String configuration(int program, int version, int procedure) {
        if (program != ConfRdma.PROGRAM || version != ConfRdma.VERSION) {
            return number(procedure);
        }
        return switch (procedure) {
            case 0 -> "NULL";
            case ConfRdma.PROCEDURE -> "CONF_RDMA";
            default -> number(procedure);
        };
    }

    private static String versioned(String name, int version) {
        return name + "v" + Integer.toUnsignedString(version) + " ";
    }

    private static String number(int procedure) {
        return "procedure " + Integer.toUnsignedString(procedure);
    }
}
