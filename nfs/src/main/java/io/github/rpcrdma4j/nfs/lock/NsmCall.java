package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * The arguments of a procedure of NSM version 1, and the results of all. NULL and SIMU_CRASH have
 * no arguments, so they have no type here.
 *
 * <pre>
 *   STAT:       name                     -> result(32) | state(32)
 *   MON:        name | my_id | priv[16]  -> result(32) | state(32)
 *   UNMON:      name | my_id             -> state(32)
 *   UNMON_ALL:  my_id                    -> state(32)
 *   NOTIFY:     name | state(32)
 *
 *   my_id:      name | program(32) | version(32) | procedure(32)
 *   name:       opaque, at most 1024 bytes
 *   result:     0 done, 1 failed
 * </pre>
 */
public sealed interface NsmCall {
    /** The procedures, in the order of their numbers. */
    enum Procedure {
        NULL,
        STAT,
        MON,
        UNMON,
        UNMON_ALL,
        SIMU_CRASH,
        NOTIFY;

        public int number() {
            return ordinal();
        }

        /** Returns the procedure of a number, or nothing if there is none. */
        public static Optional<Procedure> of(int number) {
            return number >= 0 && number < values().length
                    ? Optional.of(values()[number])
                    : Optional.empty();
        }
    }

    /** Who is to be called about a host. */
    record Listener(OpaqueName host, int program, int version, int procedure) {
        static Listener decode(XdrReader in) throws XdrException {
            return new Listener(OpaqueName.decode(in), in.uint32(), in.uint32(), in.uint32());
        }

        void encode(XdrWriter out) {
            host.encode(out).uint32(program).uint32(version).uint32(procedure);
        }
    }

    /** Asks whether a host could be monitored. */
    record Stat(OpaqueName host) implements NsmCall {}

    /**
     * Monitors a host.
     *
     * @param secret 16 bytes that come back in the call; kept by no one here
     */
    record Mon(OpaqueName host, Listener listener, OpaqueName secret) implements NsmCall {
        private static final int SECRET_BYTES = 16;
    }

    /** Monitors a host no more. */
    record Unmon(OpaqueName host, Listener listener) implements NsmCall {}

    /** Monitors no host any more. */
    record UnmonAll(Listener listener) implements NsmCall {}

    /**
     * Tells that a host has restarted.
     *
     * @param host what it is called
     * @param state the number of its start: odd while it is up
     */
    record Notify(OpaqueName host, int state) implements NsmCall {}

    /** Writes the arguments. */
    default void encode(XdrWriter out) {
        switch (this) {
            case Stat(var host) -> host.encode(out);
            case Mon(var host, var listener, var secret) -> {
                listener.encode(host.encode(out));
                out.fixedOpaque(secret.bytes());
            }
            case Unmon(var host, var listener) -> listener.encode(host.encode(out));
            case UnmonAll(var listener) -> listener.encode(out);
            case Notify(var host, var state) -> host.encode(out).uint32(state);
        }
    }

    /**
     * Decodes all arguments of a procedure.
     *
     * @param procedure any but NULL and SIMU_CRASH
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    static NsmCall decode(Procedure procedure, XdrReader in) throws XdrException {
        NsmCall call =
                switch (procedure) {
                    case NULL, SIMU_CRASH -> throw new IllegalArgumentException("no arguments");
                    case STAT -> new Stat(OpaqueName.decode(in));
                    case MON ->
                            new Mon(
                                    OpaqueName.decode(in),
                                    Listener.decode(in),
                                    OpaqueName.of(
                                            in.fixedOpaque(Mon.SECRET_BYTES)
                                                    .toArray(ValueLayout.JAVA_BYTE)));
                    case UNMON -> new Unmon(OpaqueName.decode(in), Listener.decode(in));
                    case UNMON_ALL -> new UnmonAll(Listener.decode(in));
                    case NOTIFY -> new Notify(OpaqueName.decode(in), in.uint32());
                };
        in.finish();
        return call;
    }

    /**
     * What a monitor answers to STAT and MON: {@code sm_stat_res}.
     *
     * @param isDone false if it does not monitor the host
     * @param state the number of the start of the monitor's host
     */
    record Result(boolean isDone, int state) {
        /** Writes the results. */
        public void encode(XdrWriter out) {
            out.uint32(isDone ? 0 : 1).uint32(state);
        }

        /** Decodes the results. */
        public static Result decode(XdrReader in) throws XdrException {
            var result = new Result(in.uint32() == 0, in.uint32());
            in.finish();
            return result;
        }
    }
}
