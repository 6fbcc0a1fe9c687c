package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the receiving half without a socket: each case violates one rule, and the half reports that
 * fault.
 */
class InboundFaultsTest {
    private interface Wrong {
        void frames(Receiver at, Frames frames);
    }

    private static void breaks(Fault fault, Wrong wrong) throws Exception {
        var receiver = new Receiver(true);
        var frames = new Frames(true);
        wrong.frames(receiver, frames);
        var outcome = receiver.take(frames.bytes());
        assertTrue(outcome.startsWith("Broken[fault=" + fault + ","), outcome);
    }

    private static DdpSegment.Untagged untagged(int control, int queue, int sequence, int offset) {
        return new DdpSegment.Untagged(control, 0, queue, sequence, offset);
    }

    private static final byte[] FOUR = Frames.pattern(4, 9);
    private static final byte[] REQUEST = new byte[ReadRequest.BYTES];

    @Test
    @Tag("5041-7.1-5")
    @Tag("5041-7.1-6")
    @Tag("5041-7.1-7")
    @Tag("5041-7.1-8")
    @Tag("5041-7.1-9")
    @Tag("5041-7.1-10")
    @Tag("5040-4.1-2")
    @Tag("5040-4.1-3")
    @Tag("5040-4.1-5")
    @Tag("5040-5.3-3")
    void namesTheFaultOfEveryWrongUntaggedFrame() throws Exception {
        breaks(Fault.UNTAGGED_VERSION, (_, out) -> out.add(untagged(0x4043, 0, 1, 0), FOUR));
        breaks(Fault.RDMAP_VERSION, (_, out) -> out.add(untagged(0x4103, 0, 1, 0), FOUR));
        breaks(Fault.UNEXPECTED_OPCODE, (_, out) -> out.add(untagged(0x4140, 0, 1, 0), FOUR));
        breaks(Fault.UNEXPECTED_OPCODE, (_, out) -> out.add(untagged(0x4148, 0, 1, 0), FOUR));
        breaks(Fault.INVALID_QUEUE, (_, out) -> out.add(untagged(0x4143, 1, 1, 0), FOUR));
        breaks(Fault.INVALID_QUEUE, (_, out) -> out.add(untagged(0x4143, 3, 1, 0), FOUR));
        breaks(Fault.INVALID_SEQUENCE, (_, out) -> out.add(untagged(0x4143, 0, 0, 0), FOUR));
        breaks(Fault.INVALID_SEQUENCE, (_, out) -> out.add(untagged(0x4143, 0, 2, 0), FOUR));
        breaks(
                Fault.INVALID_SEQUENCE,
                (_, out) -> out.send(FOUR).add(untagged(0x4143, 0, 1, 0), FOUR));
        breaks(Fault.INVALID_OFFSET, (_, out) -> out.add(untagged(0x4143, 0, 1, 4), FOUR));
        breaks(
                Fault.INVALID_OFFSET,
                (_, out) ->
                        out.add(untagged(0x143, 0, 1, 0), FOUR)
                                .add(untagged(0x4143, 0, 1, 3), FOUR));
        breaks(Fault.MESSAGE_TOO_LONG, (_, out) -> out.send(new byte[Receiver.RECEIVE_BYTES + 1]));
        breaks(
                Fault.NO_BUFFER,
                (_, out) -> out.send(FOUR).send(FOUR).send(FOUR).send(FOUR).send(FOUR));
        breaks(
                Fault.CANNOT_INVALIDATE,
                (_, out) -> out.send(DdpSegment.SEND_INVALIDATE, 4711, 0, true, FOUR));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x4141, 1, 1, 0), FOUR));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x141, 1, 1, 0), REQUEST));
        breaks(Fault.INVALID_QUEUE, (_, out) -> out.add(untagged(0x4141, 0, 1, 0), REQUEST));
        breaks(Fault.INVALID_SEQUENCE, (_, out) -> out.add(untagged(0x4141, 1, 2, 0), REQUEST));
        breaks(Fault.INVALID_OFFSET, (_, out) -> out.add(untagged(0x4141, 1, 1, 1), REQUEST));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x4147, 2, 1, 0), new byte[3]));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x4147, 2, 1, 0), new byte[200]));
    }

    @Test
    @Tag("5041-7.1-1")
    @Tag("5041-7.1-3")
    @Tag("5041-7.1-4")
    @Tag("5041-7.1-5")
    @Tag("5040-5.1-1")
    @Tag("5040-4.1-2")
    void namesTheFaultOfEveryWrongWrite() throws Exception {
        breaks(
                Fault.TAGGED_VERSION,
                (at, out) ->
                        out.add(
                                new DdpSegment.Tagged(
                                        0xc240, at.target.handle(), at.target.address()),
                                FOUR));
        breaks(
                Fault.RDMAP_VERSION,
                (at, out) ->
                        out.add(
                                new DdpSegment.Tagged(
                                        0xc180, at.target.handle(), at.target.address()),
                                FOUR));
        breaks(
                Fault.UNEXPECTED_OPCODE,
                (at, out) -> out.add(new DdpSegment.Tagged(0xc143, at.target.handle(), 0), FOUR));
        breaks(
                Fault.WRITE_INVALID_STAG,
                (at, out) -> out.write(at.target.handle() + 1, at.target.address(), true, FOUR));
        breaks(
                Fault.ACCESS_VIOLATION,
                (at, out) -> out.write(at.source.handle(), at.source.address(), true, FOUR));
        for (long offset :
                new long[] {
                    -1, Receiver.REGION_BYTES - 3, Receiver.REGION_BYTES + 1, Long.MIN_VALUE
                }) {
            breaks(
                    Fault.WRITE_OUT_OF_BOUNDS,
                    (at, out) ->
                            out.write(
                                    at.target.handle(), at.target.address() + offset, true, FOUR));
        }
    }

    @Test
    @Tag("5040-5.2.1-2")
    @Tag("5040-5.2.2-2")
    void namesTheFaultOfEveryWrongRead() throws Exception {
        breaks(
                Fault.READ_INVALID_STAG,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(
                                        1, 1, 4, at.source.handle() + 1, at.source.address())));
        breaks(
                Fault.ACCESS_VIOLATION,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(1, 1, 4, at.target.handle(), at.target.address())));
        breaks(
                Fault.READ_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(
                                        1, 1, -1, at.source.handle(), at.source.address())));
        breaks(
                Fault.TOO_MANY_READS,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(
                                        1, 1, 1000, at.source.handle(), at.source.address())));
        breaks(
                Fault.WRITE_INVALID_STAG,
                (at, out) ->
                        out.readResponse(
                                at.target.handle(), at.sink.address() + 50, true, new byte[100]));
        breaks(
                Fault.WRITE_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readResponse(
                                at.sink.handle(), at.sink.address() + 51, true, new byte[100]));
        breaks(
                Fault.WRITE_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readResponse(
                                at.sink.handle(), at.sink.address() + 50, true, new byte[99]));
        breaks(
                Fault.WRITE_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readResponse(
                                at.sink.handle(), at.sink.address() + 50, false, new byte[100]));
        breaks(
                Fault.UNEXPECTED_OPCODE,
                (at, out) ->
                        out.readResponse(
                                        at.sink.handle(),
                                        at.sink.address() + 50,
                                        true,
                                        new byte[100])
                                .readResponse(
                                        at.sink.handle(), at.sink.address() + 50, true, new byte[0])
                                .readResponse(0, 0, true, new byte[0]));
    }

    @Test
    void refusesAFrameTooShortForItsHeader() throws Exception {
        for (int length = 0; length < 18; length++) {
            byte[] stream = {0, (byte) length, 0x41, 0x43, 0, 0};
            assertEquals("Broken[fault=FRAMING, offender=null]", new Receiver(true).take(stream));
        }
    }

    @Test
    void readsTheTerminateMessagesOfBothLayouts() throws Exception {
        for (byte[] message : new byte[][] {{0x12, 3, 0, 0}, {0x21, 3, 3, 0, 0, 28}}) {
            var receiver = new Receiver(true);
            var outcome = receiver.take(new Frames(true).terminate(message).bytes());
            assertEquals("Terminated[terminate=Terminate[layer=1, type=2, code=3]]", outcome);
        }
    }
}
