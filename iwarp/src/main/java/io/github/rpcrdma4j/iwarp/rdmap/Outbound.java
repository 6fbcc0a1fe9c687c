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
 * The sending half of a connection: posted work and Read Responses become frames, a batch at a
 * time. Guarded by the send lock of its queue pair.
 */
@SuppressWarnings("exports") // Windows are for providers alone, as this is.
public final class Outbound {
    private static final int SPARE_MAX = 256;

    private final GatheringByteChannel channel;
    private final int inboundReads;
    private final int outboundReads;
    private final boolean crcs;
    private final FrameBatch batch;
    private final SoftwareWindows windows;

    /** Told of every end, in the order in which the work was posted. */
    private final BiConsumer<SendElement, Completion.Status> completed;

    /** Posted work that is not all cut into frames, in order (RFC 5041-5.3-1). */
    private final ArrayDeque<SendElement> unsent = new ArrayDeque<>();

    /** Read Responses that are owed and not all cut into frames, in order (RFC 5040-5.2.2-1). */
    private final ArrayDeque<SendElement> responses = new ArrayDeque<>();

    /** Posted work that has not completed, in the order in which it was posted. */
    private final ArrayDeque<SendElement> posted = new ArrayDeque<>();

    /** Read Requests on the wire, oldest first. */
    private final ArrayDeque<SendElement> reads = new ArrayDeque<>();

    /** Elements that have ended, to be used again. */
    private final ArrayDeque<SendElement> spare = new ArrayDeque<>();

    /** The message that is being cut; it must end before another of its class starts. */
    private SendElement cutting;

    /** RFC 5041-4.3-2. */
    private int sendSequence = 1;

    private int readSequence = 1;
    private int responsesOwed;

    /** The passive side sends nothing before the first frame has come (RFC 5044-7.1.2-4). */
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

    /** How many posted work requests have not completed. */
    public int uncompleted() {
        return posted.size();
    }

    /** Whether an RDMA Read is posted that can never be sent. */
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

    /** Sends an RDMA Write of nothing, which has no completion. */
    public void kick() {
        unsent.addFirst(SendElement.emptyWrite());
    }

    /** The first frame of the peer has come. */
    public void release() {
        held = false;
    }

    /**
     * Owes the peer the answer to a Read Request.
     *
     * @return false if it has more of them outstanding than was agreed on
     */
    public boolean respond(SendElement response) {
        // Peers round the depth up to a power of two, as this side's options already are; beyond it
        // they are at fault (RFC 5040-5.2.1-6).
        if (responsesOwed >= inboundReads) {
            return false;
        }
        responsesOwed++;
        responses.addLast(response);
        return true;
    }

    /** The oldest Read Request that is on the wire; null if there is none. */
    public SendElement oldestRead() {
        return reads.peekFirst();
    }

    /** All bytes of the oldest Read are placed: now it completes (RFC 5040-5.5-4). */
    public void readDone() {
        reads.removeFirst().end(Completion.Status.SUCCESS);
        completeInOrder();
    }

    /**
     * Writes as much as the socket takes.
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

    private void fill() {
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

    /** The peer's Reads go first: a thread of the peer waits for them. */
    private SendElement next() {
        if (held) {
            return null;
        }
        if (!responses.isEmpty()) {
            return responses.removeFirst();
        }
        invalidate();
        var element = unsent.peekFirst();
        // What is beyond the agreed depth waits here (RFC 5040-5.2.1-5, 5666-3.3-8,
        // 8166-3.3.1-10).
        if (element == null
                || (element.kind() == SendElement.Kind.READ_REQUEST
                        && reads.size() >= outboundReads)) {
            return null;
        }
        unsent.removeFirst();
        return element;
    }

    /** Ends the windows that are to end when all before them is on its way. */
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
     * Says why the connection ends, if the stream is between two frames and the socket takes it
     * (RFC 5040-7.1-2). It is one segment (RFC 5040-5.4-1).
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
            // The peer is gone already: it cannot be told.
        }
    }

    /** Ends all posted work, in order, as flushed (RFC 5040-6.2-1); a failure stays what it is. */
    public void flushAll() {
        posted.forEach(SendElement::flush);
        completeInOrder();
        unsent.clear();
        responses.clear();
        reads.clear();
    }
}
