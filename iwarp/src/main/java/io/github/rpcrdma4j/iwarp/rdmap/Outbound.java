package io.github.rpcrdma4j.iwarp.rdmap;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Agreed;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;

/**
 * The sending half of a connection: cuts posted work and Read Responses into frames and writes them
 * in batches. Guarded by the send lock of its queue pair.
 */
@SuppressWarnings("exports") // Only providers can use SoftwareWindows.
public final class Outbound {
    private static final int SPARE_MAX = 256;

    private final GatheringByteChannel channel;
    private final int inboundReads;
    private final int outboundReads;
    private final boolean crcs;
    private final FrameBatch batch;
    private final SoftwareWindows windows;

    /** Receives every ended work request, in the order of posting. */
    private final BiConsumer<SendElement, Completion.Status> completed;

    /** Posted work that is not completely cut into frames, in order (RFC 5041-5.3-1). */
    private final ArrayDeque<SendElement> unsent = new ArrayDeque<>();

    /** Owed Read Responses that are not completely cut into frames, in order (RFC 5040-5.2.2-1). */
    private final ArrayDeque<SendElement> responses = new ArrayDeque<>();

    /** Posted work that has not completed, in the order of posting. */
    private final ArrayDeque<SendElement> posted = new ArrayDeque<>();

    /** Read Requests on the wire, oldest first. */
    private final ArrayDeque<SendElement> reads = new ArrayDeque<>();

    /** Ended elements for reuse. */
    private final ArrayDeque<SendElement> spare = new ArrayDeque<>();

    /** The message that is being cut into frames; it must end before the next one starts. */
    private SendElement cutting;

    /** RFC 5041-4.3-2. */
    private int sendSequence = 1;

    private int readSequence = 1;
    private int responsesOwed;

    /**
     * Whether sending must wait: the passive side sends nothing before the first frame of its peer
     * has arrived (RFC 5044-7.1.2-4).
     */
    private boolean held;

    public Outbound(
            GatheringByteChannel channel,
            Agreed agreed,
            int ulpduMax,
            boolean held,
            ScratchPool scratch,
            SoftwareWindows windows,
            BiConsumer<SendElement, Completion.Status> completed) {
        this.channel = channel;
        this.inboundReads = agreed.inboundReads();
        this.outboundReads = agreed.outboundReads();
        this.crcs = agreed.crc();
        this.batch = new FrameBatch(crcs, ulpduMax, scratch);
        this.held = held;
        this.windows = windows;
        this.completed = completed;
    }

    /** Returns how many posted work requests have not completed. */
    public int uncompleted() {
        return posted.size();
    }

    /** Returns how many bytes the socket has accepted. */
    public long bytesWritten() {
        return batch.bytesWritten();
    }

    /** Returns whether a posted RDMA Read can never be sent. */
    public boolean isStuck() {
        return outboundReads == 0
                && unsent.stream().anyMatch(each -> each.kind() == SendElement.Kind.READ_REQUEST);
    }

    public void post(WorkRequest request) {
        var element = spare.isEmpty() ? new SendElement() : spare.removeLast();
        element.become(request);
        if (element.kind() == SendElement.Kind.READ_REQUEST) {
            element.nameSink(windows.drawHandle(), windows.drawAddress());
        }
        posted.addLast(element);
        unsent.addLast(element);
    }

    /** Queues an empty RDMA Write without a completion. */
    public void postEmptyWrite() {
        unsent.addFirst(SendElement.emptyWrite());
    }

    /** Permits sending, because the first frame of the peer has arrived. */
    public void release() {
        held = false;
    }

    /**
     * Queues the response to a Read Request of the peer.
     *
     * @return false if the peer has more of them outstanding than was agreed on
     */
    public boolean respond(SendElement response) {
        // Peers round the depth up to a power of two; this side's options already are one. A peer
        // that exceeds the depth is at fault (RFC 5040-5.2.1-6).
        if (responsesOwed >= inboundReads) {
            return false;
        }
        responsesOwed++;
        responses.addLast(response);
        return true;
    }

    /** Returns the oldest Read Request on the wire; null if there is none. */
    public SendElement oldestRead() {
        return reads.peekFirst();
    }

    /** Completes the oldest RDMA Read, all bytes of which are placed (RFC 5040-5.5-4). */
    public void readDone() {
        reads.removeFirst().end(Completion.Status.SUCCESS);
        completeInOrder();
    }

    /**
     * Writes as much as the socket accepts.
     *
     * @return whether nothing is left that could be written
     */
    public boolean flush() throws IOException {
        while (true) {
            if (batch.isPending()) {
                if (!batch.write(channel)) {
                    return false;
                }
                written();
            }
            fill();
            completeInOrder();
            if (!batch.isPending()) {
                return true;
            }
        }
    }

    private void written() {
        var finished = batch.finished();
        for (int i = 0; i < finished.size(); i++) {
            var element = finished.get(i);
            switch (element.kind()) {
                case SEND, WRITE -> element.end(Completion.Status.SUCCESS);
                case READ_REQUEST, INVALIDATE -> {}
                case READ_RESPONSE -> responsesOwed--;
            }
        }
        batch.clear();
        completeInOrder();
    }

    /** RFC 5040-5.5-3. */
    private void completeInOrder() {
        while (!posted.isEmpty() && posted.getFirst().status() != null) {
            var element = posted.removeFirst();
            completed.accept(element, element.status());
            element.retire();
            if (spare.size() < SPARE_MAX) {
                spare.addLast(element);
            }
        }
    }

    private void fill() throws SourceInvalidatedException {
        while (batch.hasRoom()) {
            if (cutting == null) {
                cutting = next();
            }
            if (cutting == null) {
                break;
            }
            if (batch.add(cutting, sequence(cutting))) {
                cut(cutting);
                cutting = null;
            }
        }
        batch.seal();
    }

    /**
     * Returns the next message to cut. Read Responses go first, because a thread of the peer waits
     * for them.
     */
    private SendElement next() {
        if (held) {
            return null;
        }
        if (!responses.isEmpty()) {
            return responses.removeFirst();
        }
        invalidate();
        var element = unsent.peekFirst();
        // An RDMA Read beyond the agreed depth waits here (RFC 5040-5.2.1-5, 5666-3.3-8,
        // 8166-3.3.1-10).
        if (element == null
                || (element.kind() == SendElement.Kind.READ_REQUEST
                        && reads.size() >= outboundReads)) {
            return null;
        }
        unsent.removeFirst();
        return element;
    }

    /** Invalidates the windows at the head of the queue, when all work before them is in frames. */
    private void invalidate() {
        while (!unsent.isEmpty() && unsent.getFirst().kind() == SendElement.Kind.INVALIDATE) {
            var element = unsent.removeFirst();
            element.window().invalidate();
            element.end(Completion.Status.SUCCESS);
        }
    }

    private int sequence(SendElement element) {
        return switch (element.kind()) {
            case SEND -> sendSequence;
            case READ_REQUEST -> readSequence;
            case WRITE, READ_RESPONSE, INVALIDATE -> 0;
        };
    }

    private void cut(SendElement element) {
        switch (element.kind()) {
            case SEND -> sendSequence++;
            case READ_REQUEST -> {
                readSequence++;
                reads.addLast(element);
            }
            case WRITE, READ_RESPONSE, INVALIDATE -> {}
        }
    }

    /**
     * Sends a Terminate message, if the stream is between two frames and the socket accepts it (RFC
     * 5040-7.1-2). The message is one segment (RFC 5040-5.4-1).
     */
    public void terminate(Terminate terminate, Terminate.Offender offender) {
        if (batch.isPending()) {
            return;
        }
        int headerEnd = Fpdu.LENGTH_BYTES + DdpSegment.UNTAGGED_BYTES;
        var frame = ByteBuffer.allocate(headerEnd + Terminate.BYTES_MAX + Fpdu.TRAILER_MAX);
        terminate.encode(frame.position(headerEnd), offender);
        int ulpduLength = frame.position() - Fpdu.LENGTH_BYTES;
        frame.putShort(0, (short) ulpduLength).position(Fpdu.LENGTH_BYTES);
        int control = DdpSegment.control(false, true, DdpSegment.TERMINATE);
        new DdpSegment.Untagged(control, 0, DdpSegment.QUEUE_TERMINATE, 1, 0).encode(frame);
        frame.position(Fpdu.LENGTH_BYTES + ulpduLength + Fpdu.padding(ulpduLength));
        var crc = new CRC32C();
        if (crcs) {
            crc.update(frame.duplicate().flip());
        }
        frame.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue()).flip();
        try {
            channel.write(frame);
        } catch (IOException _) {
            // The connection is already lost, so the peer cannot get the message.
        }
    }

    /**
     * Ends all posted work as flushed, in order (RFC 5040-6.2-1). A work request that already
     * failed keeps its status.
     */
    public void flushAll() {
        posted.forEach(SendElement::flush);
        completeInOrder();
        unsent.clear();
        responses.clear();
        reads.clear();
    }
}
