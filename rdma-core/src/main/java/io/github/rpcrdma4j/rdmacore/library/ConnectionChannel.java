package io.github.rpcrdma4j.rdmacore.library;

/**
 * The channel through which librdmacm tells of the connections of one device. Thread-safe.
 *
 * <p>When librdmacm takes an event from the channel, it may change the state of the queue pair of
 * the event's id. So no queue pair is made or destroyed meanwhile.
 */
public final class ConnectionChannel {
    private final long channel;

    private ConnectionChannel(long channel) {
        this.channel = channel;
    }

    /**
     * Opens a channel.
     *
     * @throws IllegalStateException if the system has no room for it
     */
    public static ConnectionChannel open() {
        long channel = RdmaCm.createEventChannel();
        if (channel < 0) {
            throw new IllegalStateException(
                    "the connections of an adapter cannot be watched: "
                            + Errno.text((int) -channel));
        }
        return new ConnectionChannel(channel);
    }

    int descriptor() {
        return Memory.int32(channel + Layouts.EventChannel.FD);
    }

    /** Stores a new id for reliable connections at {@code into}. Returns 0 or an error number. */
    public int createId(long into) {
        return RdmaCm.createId(channel, into);
    }

    /** Makes the queue pair of an id. Returns 0 or an error number. */
    public synchronized int createQp(long id, long pd, long attributes) {
        return RdmaCm.createQp(id, pd, attributes);
    }

    /** Destroys the queue pair of an id. */
    public synchronized void destroyQp(long id) {
        RdmaCm.destroyQp(id);
    }

    /** Takes an event and stores its pointer at {@code into}. Returns 0 or an error number. */
    public synchronized int take(long into) {
        return RdmaCm.getEvent(channel, into);
    }
}
