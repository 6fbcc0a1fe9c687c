package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Mismatch;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server assembles requests of several Sends, and with bulk data in them, and complains
 * about every fault in them. Method: the test plays the client, over iWARP.
 */
class ArrivingGroupByHandTest {
    private static final byte[] NOTHING = {};
    private static final int CREDITS = 16;
    private static final int SENDS_MAX = Transmissions.DEFAULT.requestMax();
    private static final int PAYLOAD_BYTES = RpcRdmaOptions.DEFAULT.inlineReceive();
    private static final int PLACE_BYTES = Transmissions.DEFAULT.segmentBytes();

    /** The bytes of a call before the data of its argument: a header, and a length. */
    private static final int BEFORE_DATA = 40 + 4;

    private ServerUnderTest test;
    private int xid = 1;

    @BeforeEach
    void begin() throws Exception {
        begin(PeerLimits.DEFAULT);
    }

    private void begin(PeerLimits limits) throws Exception {
        test =
                new ServerUnderTest(
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .credits(CREDITS)
                                .peerLimits(limits)
                                .build()
                                .withProfile(new Version2Profile(Version2.DEFAULT)),
                        PAYLOAD_BYTES);
        test.introduce(new Characteristic.Transmissions(7));
    }

    @AfterEach
    void end() {
        test.close();
    }

    private void say(Operation operation, byte[] payload) {
        test.say(xid, operation, payload);
    }

    /** Returns a call with the next XID. */
    private byte[] call(int procedure, Consumer<XdrWriter> arguments) {
        return test.rpc(++xid, procedure, arguments);
    }

    private byte[] tell(int length) {
        return call(EchoProgram.TELL, out -> out.opaque(EchoProgram.pattern(length, 1)));
    }

    private static TransmitRequest request(long count, long payload, PlacementItem... moved) {
        return new TransmitRequest(List.of(moved), List.of(), count, 1, payload, Optional.empty());
    }

    private static Continuation next(long number, long payload) {
        return new Continuation(number, Version2HeaderCodec.XMTREQ, payload);
    }

    /** Returns the content of the reply to the last call, after its header. */
    private XdrReader results() throws Exception {
        var heard = test.client.receive();
        var message = assertInstanceOf(Version2Header.Msg.class, header(heard));
        assertEquals(xid, message.xid());
        return new XdrReader(
                MemorySegment.ofArray(heard.bytes()).asSlice(message.encodedLength() + 24));
    }

    private void isTold(int length) throws Exception {
        var data = MemorySegment.ofArray(EchoProgram.pattern(length, 1));
        assertEquals(EchoProgram.sum(data), results().uint64());
    }

    private TransmitError complaint() throws Exception {
        var option = assertInstanceOf(Version2Header.Option.class, test.hear());
        assertEquals(Direction.REPLY, option.direction());
        var error = assertInstanceOf(TransmitError.class, option.operation());
        assertEquals(option.xid(), error.lead().orElse(error.bad()).xid());
        return error;
    }

    private void lives() throws Exception {
        byte[] payload = tell(100);
        say(request(1, payload.length), payload);
        isTold(100);
    }

    /** Sends a call of a thousand words in equal pieces. */
    private void inPieces(int sends) throws Exception {
        int length = 4000 - BEFORE_DATA;
        byte[] payload = tell(length);
        int piece = 4 * Math.ceilDiv(payload.length / 4, sends);
        int at = 0;
        for (int i = 0; i < sends; i++) {
            byte[] part = Arrays.copyOfRange(payload, at, Math.min(payload.length, at + piece));
            say(i == 0 ? request(sends, part.length) : next(i, part.length), part);
            at += part.length;
        }
        isTold(length);
    }

    @Test
    @Tag("RTR-4.2-4")
    @Tag("RTR-5.1-2")
    @Tag("RTR-6.2-1")
    @Tag("RTR-7.3-5")
    @Tag("RTR-8.4-1")
    @Tag("RTR-9.2-4")
    @Tag("RTR-9.4-4")
    void assemblesAMessageHoweverItWasCut() throws Exception {
        for (int sends = 1; sends <= SENDS_MAX; sends++) {
            inPieces(sends);
        }
        byte[] payload = tell(100);
        say(request(3, 0), NOTHING);
        say(next(1, payload.length), payload);
        say(next(2, 0), NOTHING);
        isTold(100);
        assertEquals(0, test.server.statistics().value(Counter.DISCARDED));
    }

    /** Sends the first of three Sends, then another message, and returns the complaint. */
    private TransmitError after(int other, Operation operation, byte[] payload) throws Exception {
        byte[] half = Arrays.copyOf(tell(100), 72);
        say(request(3, half.length), half);
        int group = xid;
        test.say(other, operation, payload);
        var complaint = complaint();
        assertEquals(Optional.of(new TransmissionId(group, Direction.CALL, 0)), complaint.lead());
        // The rest of the group causes no further complaint.
        say(next(2, 0), NOTHING);
        lives();
        return complaint;
    }

    private static Fault unexpected(Mismatch what, long expected, long current) {
        return new Fault.Unexpected(what, expected, current);
    }

    @Test
    @Tag("RTR-4.2-3")
    @Tag("RTR-5.4-2")
    @Tag("RTR-9.4-5")
    @Tag("RTR-9.5-4")
    @Tag("RTR-9.5-5")
    @Tag("RTR-9.5-8")
    @Tag("RTR-9.5-10")
    @Tag("V2-3.3-2")
    @Tag("RTR-6.1-1")
    void complainsAboutAnythingButTheNextSendOfAGroup() throws Exception {
        var late = after(xid + 1, next(2, 0), NOTHING);
        assertEquals(unexpected(Mismatch.SEQUENCE, 1, 2), late.fault());
        assertEquals(2, late.bad().number());
        int group = xid + 1;
        var other = after(group + 77, next(1, 0), NOTHING);
        assertEquals(unexpected(Mismatch.XID, group, group + 77), other.fault());
        assertEquals(new TransmissionId(group + 77, Direction.CALL, 1), other.bad());
        var type = after(xid + 1, new Continuation(1, Version2HeaderCodec.XMTRESP, 0), NOTHING);
        assertEquals(
                unexpected(
                        Mismatch.OPTION_TYPE,
                        Version2HeaderCodec.XMTREQ,
                        Version2HeaderCodec.XMTRESP),
                type.fault());
        var beyond = after(xid + 1, next(1, 50_000), NOTHING);
        assertEquals(
                Measure.PAYLOAD, assertInstanceOf(Fault.OutOfRange.class, beyond.fault()).what());
    }

    @Test
    @Tag("RTR-4.2-3")
    @Tag("RTR-9.5-1")
    @Tag("RTR-9.5-2")
    @Tag("RTR-X-4")
    void answersWhatCameIntoTheMiddleOfAGroup() throws Exception {
        byte[] half = Arrays.copyOf(tell(100), 72);
        say(request(2, half.length), half);
        byte[] between = tell(8);
        var message = new Version2Header.Msg(xid, CREDITS, Direction.CALL, ChunkLists.EMPTY);
        test.say(message, between);
        assertEquals(unexpected(Mismatch.HEADER_TYPE, 5, 0), complaint().fault());
        isTold(8);

        half = Arrays.copyOf(tell(100), 72);
        say(request(2, half.length), half);
        var wish = new Operation.ChangeRequest(List.of(new Characteristic.RequestTransmissions(1)));
        say(wish, NOTHING);
        assertEquals(unexpected(Mismatch.OPTION_TYPE, 7, 2), complaint().fault());
        operation(Operation.ChangeResponse.class, test.hear());
        lives();
    }

    @Test
    @Tag("RTR-X-1")
    @Tag("RTR-8.4-1")
    @Tag("RTR-9.5-8")
    void beginsNoImpossibleGroup() throws Exception {
        for (int count : new int[] {0, SENDS_MAX + 1}) {
            xid++;
            say(request(count, 0), NOTHING);
            assertEquals(
                    unexpected(Mismatch.SEQUENCE, SENDS_MAX, count),
                    complaint().fault(),
                    () -> "of " + count);
            lives();
        }
        for (int payload : new int[] {6, 50_000}) {
            xid++;
            say(request(1, payload), new byte[8]);
            var fault = assertInstanceOf(Fault.OutOfRange.class, complaint().fault());
            assertEquals(Measure.PAYLOAD, fault.what());
            assertEquals(payload, fault.value());
            lives();
        }
    }

    /** Sends a message with bulk data from the start of its placement segment. */
    private void placed(Operation operation, byte[] payload, byte[] data) {
        var header = new Version2Header.Option(xid, CREDITS, Direction.CALL, operation);
        byte[] message =
                Arrays.copyOf(
                        ManualConnection.message(header, payload), PAYLOAD_BYTES + data.length);
        System.arraycopy(data, 0, message, PAYLOAD_BYTES, data.length);
        test.client.send(message);
    }

    private static PlacementItem numbered(long at, long length, long offset, Long... numbers) {
        return new PlacementItem(at, length, new Location.Numbered(offset, List.of(numbers)));
    }

    /** Returns the call without the data of its arguments. */
    private byte[] join(int first, int second) {
        return call(EchoProgram.JOIN, out -> out.uint32(first).uint32(second));
    }

    private static long sum(byte[] data) {
        return EchoProgram.sum(MemorySegment.ofArray(data));
    }

    @Test
    @Tag("RTR-4.2-1")
    @Tag("RTR-6.2-2")
    @Tag("RTR-6.2-3")
    @Tag("RTR-7.3-1")
    @Tag("RTR-7.3-2")
    @Tag("RTR-7.3-6")
    void takesBulkDataFromItsReceivesAndFromMemory() throws Exception {
        byte[] one = EchoProgram.pattern(1000, 3);
        byte[] two = EchoProgram.pattern(PLACE_BYTES + 500, 4);
        // One lies in the middle of a segment, the other is read from memory.
        var memory = test.client.offer(two.length, Access.REMOTE_READ);
        MemorySegment.copy(MemorySegment.ofArray(two), 0, memory.segment(), 0, two.length);
        var read = List.of(new Segment(memory.handle(), two.length, memory.address()));
        var fetched =
                new PlacementItem(
                        BEFORE_DATA + one.length + 4, two.length, new Location.Explicit(read));
        byte[] payload = join(one.length, two.length);
        byte[] data = new byte[64 + one.length];
        System.arraycopy(one, 0, data, 64, one.length);
        placed(
                request(1, payload.length, numbered(BEFORE_DATA, one.length, 64, 0L), fetched),
                payload,
                data);
        var results = results();
        assertEquals(sum(one), results.uint64());
        assertEquals(sum(two), results.uint64());

        // One lies in the segment of the first Send, the other in those of two more: from the
        // middle
        // of the first on, and from the start of the second.
        payload = join(one.length, two.length);
        placed(
                request(
                        3,
                        payload.length,
                        numbered(BEFORE_DATA, one.length, 0, 0L),
                        numbered(BEFORE_DATA + one.length + 4, two.length, 64, 1L, 2L)),
                payload,
                one);
        int first = PLACE_BYTES - 64;
        byte[] segment = new byte[PLACE_BYTES];
        System.arraycopy(two, 0, segment, 64, first);
        placed(next(1, 0), NOTHING, segment);
        placed(next(2, 0), NOTHING, Arrays.copyOfRange(two, first, two.length));
        results = results();
        assertEquals(sum(one), results.uint64());
        assertEquals(sum(two), results.uint64());
    }

    private void isRefused(Measure what, long value, PlacementItem... moved) throws Exception {
        byte[] payload = join(1000, 0);
        placed(request(1, payload.length, moved), payload, new byte[2000]);
        var complaint = complaint();
        var fault = assertInstanceOf(Fault.OutOfRange.class, complaint.fault());
        assertEquals(what, fault.what());
        assertEquals(value, fault.value());
        assertEquals(new TransmissionId(xid, Direction.CALL, 0), complaint.bad());
        lives();
    }

    @Test
    @Tag("RTR-5.4-2")
    @Tag("RTR-6.2-4")
    @Tag("RTR-7.3-4")
    @Tag("RTR-7.3-7")
    @Tag("RTR-9.5-6")
    @Tag("RTR-9.5-7")
    @Tag("RTR-9.5-9")
    void complainsAboutImpossibleLocations() throws Exception {
        isRefused(Measure.SEGMENT_NUMBER, 1, numbered(BEFORE_DATA, 1000, 0, 1L));
        isRefused(Measure.SEGMENT_NUMBER, 0, numbered(BEFORE_DATA, 2004, 0, 0L));
        isRefused(Measure.OFFSET, PLACE_BYTES, numbered(BEFORE_DATA, 4, PLACE_BYTES, 0L));
        isRefused(Measure.OFFSET, 6, numbered(BEFORE_DATA, 1000, 6, 0L));
        isRefused(Measure.OFFSET, 6, new PlacementItem(0, 0, new Location.NoItem()));
        isRefused(Measure.OFFSET, 5, new PlacementItem(0, 0, new Location.TooShort()));
        for (int length : new int[] {999, 1001}) {
            var segment = new Segment(1, length, 0);
            isRefused(
                    Measure.OFFSET,
                    length,
                    new PlacementItem(BEFORE_DATA, 1000, new Location.Explicit(List.of(segment))));
        }
    }

    /** These sums do not fit an int, or an unsigned one. */
    @Test
    @Tag("RTR-11-2")
    void addsUpNumbersOfAnySize() throws Exception {
        long most = 0xffff_ffffL;
        isRefused(Measure.SEGMENT_NUMBER, 0, numbered(BEFORE_DATA, most, 0, 0L));
        isRefused(Measure.SEGMENT_NUMBER, most, numbered(BEFORE_DATA, 1000, 0, most));
        isRefused(Measure.OFFSET, most - 3, numbered(BEFORE_DATA, 1000, most - 3, 0L));
        isRefused(Measure.OFFSET, most - 3, numbered(most - 3, 1000, 0, 0L));
        var half = new Segment(1, 0x8000_0000, 0);
        isRefused(
                Measure.OFFSET,
                most,
                new PlacementItem(BEFORE_DATA, 8, new Location.Explicit(List.of(half, half))));
        xid++;
        say(request(1, most - 3), new byte[8]);
        assertEquals(
                Measure.PAYLOAD,
                assertInstanceOf(Fault.OutOfRange.class, complaint().fault()).what());
        xid++;
        say(request(most, 0), NOTHING);
        assertInstanceOf(Fault.Unexpected.class, complaint().fault());
        lives();
    }

    /** Truncated operation, malformed message, and arguments that are too short. */
    @Test
    @Tag("RTR-5.4-3")
    void answersErrorsOfXdrAsVersionTwoDoesAnyhow() throws Exception {
        var whole = new Version2Header.Option(++xid, CREDITS, Direction.CALL, request(1, 0));
        byte[] cut =
                Arrays.copyOf(ManualConnection.message(whole, NOTHING), whole.encodedLength() - 8);
        test.client.send(cut);
        assertEquals(xid, assertInstanceOf(Version2Header.BadHeader.class, test.hear()).xid());
        xid++;
        say(request(1, 8), new byte[8]);
        assertEquals(xid, assertInstanceOf(Version2Header.BadHeader.class, test.hear()).xid());
        byte[] endless = call(EchoProgram.TELL, out -> out.uint32(4000));
        say(request(1, endless.length), endless);
        // GARBAGE_ARGS is the last word (RFC 5531, Section 9).
        assertEquals(4, Version2ByHand.payload(test.client.receive()).getInt(20));
        lives();
    }

    @Test
    @Tag("RTR-9.5-11")
    void dropsComplaintsAboutWhatItDoesNotKnow() throws Exception {
        for (var fault : List.of(new Fault.NoGroup(), unexpected(Mismatch.XID, 1, 2))) {
            var bad = new TransmissionId(4711, Direction.CALL, 0);
            test.say(4711, new TransmitError(bad, Optional.empty(), fault));
            test.say(4711, new TransmitError(bad, Optional.of(bad), fault));
            var response = new TransmissionId(4711, Direction.REPLY, 0);
            test.say(4711, new TransmitError(response, Optional.empty(), fault));
            // The server sends nothing before the next reply.
            lives();
        }
    }

    @Test
    @Tag("RTR-X-2")
    void givesAGroupUpThatDoesNotEndInTime() throws Exception {
        end();
        var usual = PeerLimits.DEFAULT;
        begin(
                new PeerLimits(
                        usual.connectionsMax(),
                        usual.callsMax(),
                        usual.bytesMax(),
                        usual.sendTimeout(),
                        Duration.ofMillis(200)));
        byte[] half = Arrays.copyOf(tell(100), 72);
        say(request(3, half.length), half);
        var complaint = complaint();
        assertEquals(unexpected(Mismatch.SEQUENCE, 1, 3), complaint.fault());
        assertEquals(new TransmissionId(xid, Direction.CALL, 0), complaint.bad());
        lives();
    }
}
