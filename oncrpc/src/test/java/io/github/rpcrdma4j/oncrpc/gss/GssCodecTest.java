package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Golden;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Goal: encoding and decoding agree. Method: handwritten bytes, and every corruption of them. */
class GssCodecTest {
    private static final byte[] HANDLE = HexFormat.of().parseHex("0102030405060708");
    private static final int FLAVOR_AND_LENGTH = 8;

    private final SegmentPool pool = new SegmentPool(0);

    private static RawAuth body(String name) {
        return new RawAuth(GssCredential.FLAVOR, Golden.bytes(name).asSlice(FLAVOR_AND_LENGTH));
    }

    private static String digits(RawAuth auth) {
        return "%08x%08x".formatted(auth.flavor(), auth.body().byteSize())
                + Golden.hex(auth.body());
    }

    @Test
    void writesAndReadsCredentials() throws Exception {
        var data = new GssCredential(GssProcedure.DATA, 7, GssService.INTEGRITY, HANDLE);
        assertEquals(Golden.digits("gss-data-credential"), digits(data.encode()));
        assertEquals(data.toString(), GssCredential.decode(body("gss-data-credential")).toString());
        var init = new GssCredential(GssProcedure.INIT, 0, GssService.PRIVACY, new byte[0]);
        assertEquals(Golden.digits("gss-init-credential"), digits(init.encode()));
        assertEquals(init.toString(), GssCredential.decode(body("gss-init-credential")).toString());
    }

    @Test
    void refusesEveryTruncationOfACredential() {
        var whole = body("gss-data-credential").body();
        for (long length = 0; length < whole.byteSize(); length++) {
            var cut = new RawAuth(GssCredential.FLAVOR, whole.asSlice(0, length));
            assertThrows(XdrException.class, () -> GssCredential.decode(cut));
        }
    }

    @Test
    void makesAValueOrAnXdrExceptionOfEveryDamage() {
        var bytes = body("gss-data-credential").body();
        int usable = 0;
        for (long at = 0; at < bytes.byteSize(); at++) {
            byte good = bytes.get(ValueLayout.JAVA_BYTE, at);
            for (int value = 0; value < 256; value++) {
                bytes.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                try {
                    GssCredential.decode(new RawAuth(GssCredential.FLAVOR, bytes));
                    usable++;
                } catch (XdrException _) {
                    // The expected outcome of most corruptions.
                }
            }
            bytes.set(ValueLayout.JAVA_BYTE, at, good);
        }
        // Valid are any sequence number, any handle, 4 procedures, 3 services, and 3 lengths of the
        // padding.
        assertTrue(usable >= 12 * 256 && usable < 13 * 256 + 64, "usable: " + usable);
    }

    @Test
    void writesAndReadsResultsOfInit() throws Exception {
        byte[] token = HexFormat.of().parseHex("6061626364");
        var result = new GssInitResult(HANDLE, GssInitResult.COMPLETE, 0, 128, token);
        try (var out = new XdrWriter(pool)) {
            result.encode(out);
            assertEquals(Golden.digits("gss-init-result"), Golden.hex(out));
        }
        var decoded = GssInitResult.decode(new XdrReader(Golden.bytes("gss-init-result")));
        assertArrayEquals(HANDLE, decoded.handle());
        assertArrayEquals(token, decoded.token());
        assertEquals(128, decoded.window());
        assertEquals(GssInitResult.COMPLETE, decoded.major());
    }

    @Test
    void refusesEveryTruncationOfResultsOfInit() {
        var whole = Golden.bytes("gss-init-result");
        for (long length = 0; length < whole.byteSize(); length++) {
            var cut = new XdrReader(whole.asSlice(0, length));
            assertThrows(XdrException.class, () -> GssInitResult.decode(cut));
        }
    }

    private GssContext context() throws GssException {
        var mechanism = new ToyMechanism("alice", 1);
        var initiator = mechanism.initiate();
        var acceptor = mechanism.accept();
        initiator.step(acceptor.step(initiator.step(new byte[0])));
        assertTrue(initiator.isEstablished() && acceptor.isEstablished());
        return acceptor;
    }

    private MemorySegment wrapped(GssService service, byte[] content) throws GssException {
        try (var plain = new XdrWriter(pool);
                var out = new XdrWriter(pool)) {
            plain.fixedOpaque(content);
            GssBody.wrap(service, context(), 7, plain, out);
            var pieces = PayloadStream.of(out);
            var flat = MemorySegment.ofArray(new byte[(int) pieces.length()]);
            pieces.copyTo(flat);
            return flat;
        }
    }

    @Test
    void signsDataWithItsSequenceNumber() throws Exception {
        byte[] content = HexFormat.of().parseHex("0000000b00000016");
        var bytes = wrapped(GssService.INTEGRITY, content);
        assertEquals(Golden.digits("gss-integrity-body"), Golden.hex(bytes));
        var in = GssBody.unwrap(GssService.INTEGRITY, context(), 7, new XdrReader(bytes));
        assertEquals(11, in.uint32());
        assertEquals(22, in.uint32());
        in.finish();
    }

    @Test
    void findsEveryDamageOfWrappedData() throws Exception {
        for (var service : new GssService[] {GssService.INTEGRITY, GssService.PRIVACY}) {
            var bytes = wrapped(service, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
            var context = context();
            for (long at = 0; at < bytes.byteSize(); at++) {
                byte good = bytes.get(ValueLayout.JAVA_BYTE, at);
                bytes.set(ValueLayout.JAVA_BYTE, at, (byte) (good ^ 0x20));
                assertThrows(
                        Exception.class,
                        () -> GssBody.unwrap(service, context, 7, new XdrReader(bytes)));
                bytes.set(ValueLayout.JAVA_BYTE, at, good);
            }
            for (long length = 0; length < bytes.byteSize(); length++) {
                var cut = new XdrReader(bytes.asSlice(0, length));
                assertThrows(XdrException.class, () -> GssBody.unwrap(service, context, 7, cut));
            }
            assertThrows(
                    XdrException.class,
                    () -> GssBody.unwrap(service, context, 8, new XdrReader(bytes)));
        }
    }

    @Test
    void knowsHowLongDataGets() throws Exception {
        for (var service : GssService.values()) {
            for (int length = 0; length < 70; length++) {
                if (service != GssService.NONE) {
                    long wrapped = wrapped(service, new byte[length]).byteSize();
                    assertEquals(wrapped, GssBody.wrappedMax(service, context(), length));
                }
            }
        }
    }

    @Test
    void signsTheHeaderAsItIsOnTheWire() throws Exception {
        var call = Golden.bytes("sys-call");
        var header = CallHeader.decode(new XdrReader(call));
        byte[] signed = header.bytesToVerifier();
        assertArrayEquals(call.asSlice(0, signed.length).toArray(ValueLayout.JAVA_BYTE), signed);
        int verifierAndArguments = 8;
        assertTrue(signed.length <= call.byteSize() - verifierAndArguments);
    }

    @Test
    void namesHandlesByEightBytes() {
        assertArrayEquals(HANDLE, ContextHandle.bytes(0x0102030405060708L));
        assertEquals(0x0102030405060708L, ContextHandle.of(HANDLE).getAsLong());
        assertTrue(ContextHandle.of(new byte[7]).isEmpty());
        assertTrue(ContextHandle.of(new byte[9]).isEmpty());
    }
}
