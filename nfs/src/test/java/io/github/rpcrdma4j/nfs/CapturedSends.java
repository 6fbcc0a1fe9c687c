package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Message;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Seen;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The Sends of one direction of a captured connection. */
public final class CapturedSends {
    private CapturedSends() {}

    /** Returns whether these are the bytes of the side that opened the connection. */
    public static boolean isActive(byte[] bytes) {
        var setUp = (MpaFrame.Decoded.Whole) MpaFrame.decode(bytes, bytes.length);
        return !setUp.frame().isReply();
    }

    /** Returns the messages in these bytes. */
    public static List<byte[]> of(byte[] bytes) {
        var messages = new ArrayList<byte[]>();
        var observer = new DirectionObserver(true);
        observer.add(ByteBuffer.wrap(bytes));
        for (var seen = observer.next(); seen != null; seen = observer.next()) {
            if (seen instanceof Seen.Segment segment
                    && segment.message().orElse(null) instanceof Message.Send(var message)) {
                messages.add(message);
            }
        }
        return messages;
    }
}
