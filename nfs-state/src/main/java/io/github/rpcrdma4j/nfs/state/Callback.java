package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.BackChannelSecurity;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/**
 * A slot of a back channel that the server has taken for one call. The driver gives it back with
 * {@link CallbackEvents#end}.
 */
public final class Callback {
    private final Session session;
    private final Connection connection;
    private final int slot;
    private final int sequence;
    private final int highestSlot;
    private final int program;
    private final BackChannelSecurity security;
    boolean isEnded;

    Callback(
            Session session,
            Connection connection,
            int slot,
            int sequence,
            int highestSlot,
            int program,
            BackChannelSecurity security) {
        this.session = session;
        this.connection = connection;
        this.slot = slot;
        this.sequence = sequence;
        this.highestSlot = highestSlot;
        this.program = program;
        this.security = security;
    }

    /** How the call ended. */
    public sealed interface End {}

    /**
     * CB_SEQUENCE has succeeded, or was answered with RETRY_UNCACHED_REP: the client took an
     * earlier call with this sequence.
     *
     * @param targetHighestSlot {@code csr_target_highest_slotid}, unsigned
     */
    public record Answered(int targetHighestSlot) implements End {
        public Answered {
            targetHighestSlot = targetHighestSlot < 0 ? Integer.MAX_VALUE : targetHighestSlot;
        }
    }

    /**
     * The client has not taken the call: CB_SEQUENCE was answered with DELAY, or nothing was sent.
     */
    public record Postponed() implements End {}

    /** CB_SEQUENCE was answered with any other error: the channel is out of order. */
    public record Refused() implements End {}

    /** There was no answer. The connection serves this channel no longer. */
    public record Lost() implements End {}

    Session session() {
        return session;
    }

    /** Returns the client ID of the client that is called. */
    public long clientId() {
        return session.client.id;
    }

    public SessionId sessionId() {
        return session.id;
    }

    /** Returns the connection to send the call over. */
    public Connection connection() {
        return connection;
    }

    public int slot() {
        return slot;
    }

    public int sequence() {
        return sequence;
    }

    /** Returns the highest slot in use: {@code csa_highest_slotid}. */
    public int highestSlot() {
        return highestSlot;
    }

    /** Returns the length of the longest call message that the client takes, in bytes. */
    public int requestMax() {
        return session.back.attributes.requestMax();
    }

    /** Returns the length of the longest reply message that the client sends, in bytes. */
    public int responseMax() {
        return session.back.attributes.responseMax();
    }

    /** Returns the number of the client's RPC program. */
    public int program() {
        return program;
    }

    public BackChannelSecurity security() {
        return security;
    }
}
