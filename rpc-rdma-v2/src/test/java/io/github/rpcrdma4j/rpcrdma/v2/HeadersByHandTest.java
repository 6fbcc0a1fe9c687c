package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a server of version 2 answers headers, and applies characteristics, as the drafts require.
 * Method: the test plays the client word by word, over iWARP.
 */
class HeadersByHandTest {
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final int XID = 0x0a0b0c0d;
    private static final int VERSION = 2;
    private static final int OPTIONAL = 5;
    private static final int CALL = 0;
    private static final int INITXCH = 1;
    private static final int REQXCH = 2;
    private static final int UPDXCH = 4;
    private static final int XMTREQ = 5;
    private static final int XMTERR = 8;
    private static final int RBSIZ = 1;
    private static final int STRUCTURE = 5;
    private static final int UNKNOWN = 4711;

    private ServerUnderTest test;
    private int xid = 100;

    @BeforeEach
    void begin() throws Exception {
        begin(Version2.DEFAULT.withoutTransmissions().withoutFetchedReplies());
    }

    private void begin(Version2 version2) throws Exception {
        test =
                new ServerUnderTest(
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .inlineSend(RECEIVE_BYTES)
                                .inlineReceive(4096)
                                .credits(CREDITS)
                                .build()
                                .withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES);
    }

    @AfterEach
    void end() {
        test.close();
    }

    /** Returns an operation whose body follows its length. */
    private static byte[] option(int type, int... body) {
        return option(type, Integer.BYTES * body.length, body);
    }

    private static byte[] option(int type, int length, int[] body) {
        var head = IntStream.of(XID, VERSION, CREDITS, OPTIONAL, CALL, type, length);
        return words(IntStream.concat(head, IntStream.of(body)).toArray());
    }

    /**
     * Returns whether the server sends its client so many bytes in one Send; the connection must
     * survive.
     */
    private boolean sends(int bytes) throws Exception {
        test.client.send(test.call(++xid, EchoProgram.list(0, 1)));
        int beside = test.client.receive().bytes().length;
        test.client.send(test.call(++xid, EchoProgram.list(bytes - beside, 1)));
        var answer = test.client.receive();
        assertEquals(xid, header(answer).xid());
        return switch (header(answer)) {
            case Version2Header.Msg _ -> {
                assertEquals(bytes, answer.bytes().length);
                yield true;
            }
            case Version2Header.BadHeader _ -> false;
            case Version2Header other -> throw new AssertionError(other);
        };
    }

    private void takes(int bytes) throws Exception {
        assertEquals(true, sends(bytes), () -> "takes no " + bytes);
        assertEquals(false, sends(bytes + 4), () -> "takes more than " + bytes);
    }

    private void isBroken(byte[] message) throws Exception {
        test.client.send(message);
        assertEquals(XID, assertInstanceOf(Version2Header.BadHeader.class, test.hear()).xid());
    }

    private void isUnknown(byte[] message) throws Exception {
        test.client.send(message);
        assertEquals(XID, assertInstanceOf(Version2Header.BadOption.class, test.hear()).xid());
    }

    /** Sends the client's characteristics; the server answers with its own. */
    private void introduces(int... body) throws Exception {
        test.client.send(option(INITXCH, body));
        var answer = assertInstanceOf(Version2Header.Option.class, test.hear());
        assertEquals(XID, answer.xid());
        assertInstanceOf(InitialExchange.class, answer.operation());
    }

    /** Checks that the server sends nothing about a message: messages are answered in order. */
    private void saysNothingAbout(byte[] message) throws Exception {
        test.client.send(message);
        test.client.send(test.call(++xid, EchoProgram.nullCall()));
        assertEquals(xid, assertInstanceOf(Version2Header.Msg.class, test.hear()).xid());
    }

    @Test
    @Tag("V2-3-1")
    @Tag("V2-4.2-4")
    @Tag("V2-4.2-5")
    void refusesMalformedHeaders() throws Exception {
        takes(4096);
        for (int procedure : new int[] {2, 3, 6, -1}) {
            isBroken(words(XID, VERSION, CREDITS, procedure, CALL, 0, 0, 0));
        }
        // An invalid direction, an invalid boolean and a list without an end.
        isBroken(words(XID, VERSION, CREDITS, 0, 2, 0, 0, 0, XID, 0));
        isBroken(words(XID, VERSION, CREDITS, 0, CALL, 0, 0, 2, XID, 0));
        isBroken(words(XID, VERSION, CREDITS, 0, CALL, 1, 0, 1, 1, 0, 0));
        // More segments than any message holds.
        isBroken(words(XID, VERSION, CREDITS, 0, CALL, 0, 1, 0x7fff_ffff, 1, 1, 0, 0));
        takes(4096);
    }

    @Test
    @Tag("V2-4.2-2")
    @Tag("V2-4.2-3")
    @Tag("V2-4.2.3-1")
    void readsTheFirstWordsFirst() throws Exception {
        takes(4096);
        byte[] call = test.call(XID, EchoProgram.nullCall());
        byte[] other = call.clone();
        // The XID of the RPC message, which starts after 32 bytes.
        other[32 + 3] ^= 1;
        isBroken(other);
        test.client.send(words(XID, 77, CREDITS, 99, 1, 2, 3, 4));
        var versions = assertInstanceOf(Version2Header.VersionError.class, test.hear());
        assertEquals(new Version2Header.VersionError(XID, 77, CREDITS, 2, 2), versions);
        saysNothingAbout(words(XID, VERSION, CREDITS));
        saysNothingAbout(new byte[1]);
    }

    @Test
    @Tag("V2-4.2.2-3")
    @Tag("V2-4.2.1-2")
    @Tag("V2-X-1")
    @Tag("V2-4.2.3-5")
    void answersNoErrorWithAnother() throws Exception {
        takes(4096);
        for (int code : new int[] {2, 3, 99}) {
            saysNothingAbout(words(XID, VERSION, CREDITS, 4, code));
        }
        // The server's own errors end with their code.
        test.client.send(words(XID, VERSION, CREDITS, 6, CALL, 0, 0, 0));
        assertEquals(Integer.BYTES * 5, test.client.receive().bytes().length);
    }

    @Test
    @Tag("V2-3.1-1")
    @Tag("V2-3.1-2")
    @Tag("V2-3.1-3")
    @Tag("V2-3.3-1")
    void knowsAnExtensionWholeOrNot() throws Exception {
        takes(4096);
        isUnknown(option(99));
        isUnknown(option(99, -1, -1, -1));
        for (int type = XMTREQ; type <= XMTERR; type++) {
            isUnknown(option(type, 0, 0, 1, 1, 0));
        }
        // Longer than its message, truncated, or with a surplus word.
        isBroken(option(UPDXCH, 16, new int[] {RBSIZ, 4, 8192}));
        isBroken(option(UPDXCH, RBSIZ, 4));
        isBroken(option(UPDXCH, RBSIZ, 4, 8192, 0, 0));
        takes(4096);
    }

    @Test
    @Tag("XCH-2.1-2")
    @Tag("XCH-2.1-3")
    void appliesNothingOfAMalformedHeader() throws Exception {
        takes(4096);
        // The second value is missing, is longer than its message, or is too short.
        isBroken(option(INITXCH, 2, RBSIZ, 4, 8192));
        isBroken(option(INITXCH, 2, RBSIZ, 4, 8192, 2, 400, 1, 0));
        isBroken(option(INITXCH, 2, RBSIZ, 4, 8192, 2, 0, 0));
        isBroken(option(INITXCH, 1000, RBSIZ, 4, 8192, 0));
        // Nothing follows the last value of a request.
        isBroken(option(REQXCH, 1, RBSIZ, 400, 8192));
        takes(4096);
        introduces(1, RBSIZ, 4, 8192, 0);
        takes(8192);
    }

    @Test
    @Tag("XCH-2.1-1")
    @Tag("XCH-2.1-4")
    @Tag("XCH-2.1-5")
    @Tag("XCH-2.1-7")
    @Tag("XCH-2.1-8")
    @Tag("XCH-4.1-5")
    @Tag("XCH-6.3-1")
    void findsKnownCharacteristicsAmongOthers() throws Exception {
        introduces(2, UNKNOWN, 8, 1, 2, RBSIZ, 4, 8192, 0);
        takes(8192);
        // In another order, with an experimental characteristic, and with a repeated one.
        introduces(3, 3, 4, 1, 0xffff_ff77, 0, RBSIZ, 4, 9000, 0);
        takes(9000);
        introduces(2, RBSIZ, 4, 16_384, RBSIZ, 4, 10_000, 0);
        takes(10_000);
        introduces(1, RBSIZ, 12, 12_000, 1, 2, 0);
        takes(12_000);
    }

    @Test
    @Tag("XCH-3-1")
    @Tag("XCH-4.1-6")
    @Tag("XCH-4.4-2")
    @Tag("V2-2.3-2")
    void followsEveryChange() throws Exception {
        takes(4096);
        introduces(1, RBSIZ, 4, 8192, 0);
        takes(8192);
        introduces(1, RBSIZ, 4, 16_384, 0);
        takes(16_384);
        test.client.send(option(UPDXCH, RBSIZ, 4, 20_000, 0));
        takes(20_000);
    }

    /** Element 0 is the lowest bit of the first word; bits beyond the list are ignored. */
    @Test
    @Tag("XCH-4.1-3")
    @Tag("XCH-2.1-6")
    @Tag("XCH-2.1-7")
    void ignoresChangesOfWhatAClientFixed() throws Exception {
        introduces(2, RBSIZ, 4, 8192, 3, 4, 1, 1, 0xffff_fffe);
        test.client.send(option(UPDXCH, RBSIZ, 4, 9000, 0));
        takes(9000);
        introduces(1, RBSIZ, 4, 10_000, 1, 1);
        test.client.send(option(UPDXCH, RBSIZ, 4, 12_000, 0));
        takes(10_000);
        introduces(1, RBSIZ, 4, 12_000, 0);
        takes(10_000);
    }

    private void knowsStructures() throws Exception {
        end();
        begin(Version2.DEFAULT.withoutFetchedReplies());
    }

    /** A structure has its length, the number of its groups, and four words for each group. */
    @Test
    @Tag("RTR-8.3-3")
    @Tag("RTR-8.3-4")
    void findsTheSizeOfReceivesInTheirStructure() throws Exception {
        knowsStructures();
        introduces(1, STRUCTURE, 40, 10_000, 2, 1, 6000, 0, 0, 2, 2000, 0, 1, 0);
        takes(10_000);
        // The smaller of the two sizes counts.
        introduces(2, RBSIZ, 4, 8192, STRUCTURE, 24, 9000, 1, 1, 9000, 0, 0, 0);
        takes(8192);
        introduces(2, RBSIZ, 4, 9000, STRUCTURE, 24, 8192, 1, 1, 8192, 0, 0, 0);
        takes(8192);
    }

    /**
     * Placement segments lie one after the other behind the rest of a receive, whose memory is
     * aligned to 64 bytes.
     */
    @ParameterizedTest
    @Tag("RTR-7.2-3")
    @CsvSource({"8192, 64", "64, 64", "4128, 32", "4112, 16", "8200, 8", "4100, 4"})
    void announcesTheAlignmentThatItsSegmentsHave(int segment, int alignment) throws Exception {
        end();
        var sends = new Version2.Transmissions(4, 4, 2, segment, TransferPolicy.PLACED);
        begin(Version2.DEFAULT.withTransmissions(sends).withoutFetchedReplies());
        test.client.send(option(INITXCH, 0, 0));
        var answer = assertInstanceOf(Version2Header.Option.class, test.hear());
        var exchange = assertInstanceOf(InitialExchange.class, answer.operation());
        var structures =
                exchange.start().stream()
                        .filter(ReceiveStructure.class::isInstance)
                        .map(each -> ((ReceiveStructure) each).structure().groups().getLast())
                        .toList();
        assertEquals(List.of(new BufferStructure.Group(2, segment, alignment, 1)), structures);
    }

    /** A wrong sum, an invalid alignment, and a segment without length. */
    @Test
    @Tag("RTR-8.3-4")
    void ignoresAnImpossibleStructure() throws Exception {
        knowsStructures();
        introduces(2, RBSIZ, 4, 8192, STRUCTURE, 24, 6004, 1, 1, 6000, 0, 0, 0);
        takes(8192);
        introduces(2, RBSIZ, 4, 8192, STRUCTURE, 24, 6000, 1, 1, 6000, 3, 0, 0);
        takes(8192);
        introduces(2, RBSIZ, 4, 8192, STRUCTURE, 40, 6000, 2, 1, 6000, 0, 0, 1, 0, 0, 0, 0);
        takes(8192);
    }
}
