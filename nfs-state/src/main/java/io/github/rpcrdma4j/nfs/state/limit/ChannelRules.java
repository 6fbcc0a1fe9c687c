package io.github.rpcrdma4j.nfs.state.limit;

import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import java.util.OptionalInt;

/**
 * What the server grants of the channel attributes that a client asks for (RFC 8881, Section
 * 18.36). Linux takes no session with fewer operations than it asked for, or with a back channel
 * that is larger in any way.
 */
public final class ChannelRules {
    /** An RPC header with AUTH_NONE, and a COMPOUND with SEQUENCE alone. */
    static final int REQUEST_MIN = 88;

    /** Its reply. */
    public static final int RESPONSE_MIN = 84;

    /** A CB_COMPOUND with CB_SEQUENCE and CB_NOTIFY_LOCK of a short owner, with AUTH_SYS. */
    public static final int BACK_REQUEST_MIN = 300;

    /** Its reply. */
    static final int BACK_RESPONSE_MIN = 96;

    /** CB_SEQUENCE and one more. */
    static final int BACK_OPERATIONS_MIN = 2;

    private static final int BACK_SLOTS_MAX = 16;

    private ChannelRules() {}

    /** Returns OK, TOOSMALL or INVAL. */
    public static Nfs4Status judge(CreateSessionCall call) {
        var fore = call.fore();
        var back = call.back();
        boolean isTooSmall =
                isBelow(fore.requestMax(), REQUEST_MIN)
                        || isBelow(fore.responseMax(), RESPONSE_MIN)
                        || isBelow(fore.operations(), 1)
                        || isBelow(back.requestMax(), BACK_REQUEST_MIN)
                        || isBelow(back.responseMax(), BACK_RESPONSE_MIN)
                        || isBelow(back.operations(), BACK_OPERATIONS_MIN);
        if (isTooSmall) {
            return Nfs4Status.TOOSMALL;
        }
        return fore.slots() == 0 ? Nfs4Status.INVAL : Nfs4Status.OK;
    }

    private static boolean isBelow(int asked, int least) {
        return Integer.compareUnsigned(asked, least) < 0;
    }

    /** Returns the fore channel with all that was asked for, up to the limits of the server. */
    public static ChannelAttributes fore(ChannelAttributes asked, StateLimits limits, int slots) {
        return new ChannelAttributes(
                0,
                least(asked.requestMax(), limits.messageBytes()),
                least(asked.responseMax(), limits.messageBytes()),
                cachedMax(asked, limits),
                least(asked.operations(), limits.operations()),
                slots,
                OptionalInt.empty());
    }

    /** Returns the longest reply that a slot keeps. */
    public static int cachedMax(ChannelAttributes asked, StateLimits limits) {
        return least(asked.cachedMax(), limits.cachedBytes());
    }

    /**
     * Returns how many slots a session gets.
     *
     * @param free how many there is room for
     */
    public static int slots(ChannelAttributes asked, StateLimits limits, int free) {
        return least(asked.slots(), Math.min(limits.slotsOfSession(), free));
    }

    public static ChannelAttributes back(ChannelAttributes asked, StateLimits limits) {
        return new ChannelAttributes(
                0,
                least(asked.requestMax(), limits.messageBytes()),
                least(asked.responseMax(), limits.messageBytes()),
                least(asked.cachedMax(), limits.messageBytes()),
                least(asked.operations(), limits.operations()),
                least(asked.slots(), BACK_SLOTS_MAX),
                OptionalInt.empty());
    }

    private static int least(int asked, int most) {
        return Integer.compareUnsigned(asked, most) < 0 ? asked : most;
    }
}
