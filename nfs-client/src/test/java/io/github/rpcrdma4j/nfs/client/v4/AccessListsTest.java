package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Flag;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Right;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Type;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a list is read as the server has it, and written as it was read; nothing of it is lost in
 * silence. Method: at a server that the test operates by hand.
 */
@Timeout(120)
class AccessListsTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final int SECONDS = 20;

    private ServerByHand server;
    private Nfs4Service service;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerByHand();
        service = server.connect();
    }

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    /** Returns the attribute acl with one entry. */
    private static byte[] list(int type, int flags, int mask, byte... who) {
        var out = ByteBuffer.allocate(5 * Integer.BYTES + (who.length + 3) / 4 * 4);
        return out.putInt(1)
                .putInt(type)
                .putInt(flags)
                .putInt(mask)
                .putInt(who.length)
                .put(who)
                .array();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static AttributeResult.GetAttr attributes(AttributeSet set, byte... values) {
        var all = ByteBuffer.allocate(Integer.BYTES + values.length);
        all.putInt(FileType.REGULAR.number()).put(values);
        return new AttributeResult.GetAttr(EncodedAttributes.of(set, all.array()));
    }

    private static AttributeResult.GetAttr withList(byte... list) {
        return attributes(AttributeSet.of(Attribute.TYPE, Attribute.ACL), list);
    }

    private void answer(AttributeResult.GetAttr attributes) throws Exception {
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR)
                .answer(Result.done(Opcode.PUTFH), attributes);
    }

    private List<AccessEntry> read(byte... list) throws Exception {
        var reading = server.calling(() -> service.accessLists().of(FILE, "no"));
        answer(withList(list));
        return reading.get(SECONDS, TimeUnit.SECONDS);
    }

    private Status refusal(AttributeResult.GetAttr told) throws Exception {
        var reading =
                server.calling(
                        () ->
                                assertThrows(
                                        NfsException.class,
                                        () -> service.accessLists().of(FILE, "no")));
        answer(told);
        return reading.get(SECONDS, TimeUnit.SECONDS).status();
    }

    /** The numbers are those of RFC 8881, Sections 6.2.1.1, 6.2.1.3 and 6.2.1.4. */
    @Test
    void eachBitHasItsWord() throws Exception {
        var entry = read(list(2, 0x7f, 0x1f07ff, text("77"))).getFirst();
        assertEquals(Type.AUDIT, entry.type());
        assertEquals(EnumSet.complementOf(EnumSet.of(Flag.INHERITED)), entry.flags());
        assertEquals(EnumSet.allOf(Right.class), entry.rights());
        assertEquals("77", entry.who());
        assertEquals(Set.of(Right.SYNCHRONIZE), right(0x100000));
        assertEquals(Set.of(Right.WRITE_OWNER), right(0x80000));
        assertEquals(Set.of(Right.WRITE_RETENTION_HOLD), right(0x400));
        assertEquals(Set.of(Right.EXECUTE), right(0x20));
    }

    private Set<Right> right(int mask) throws Exception {
        return read(list(0, 0, mask, text("OWNER@"))).getFirst().rights();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0x00, 0x000001, OWNER@",
        "1, 0x40, 0x1f07ff, group@example.org",
        "2, 0x30, 0x000002, EVERYONE@",
        "3, 0x8f, 0x080000, 4294967294"
    })
    void whatWasReadIsWrittenBackAsItWas(int type, String flags, String mask, String who)
            throws Exception {
        byte[] list = list(type, Integer.decode(flags), Integer.decode(mask), text(who));
        var entries = read(list);
        var writing =
                server.calling(
                        () -> {
                            service.accessLists().replace(FILE, entries, "no");
                            return true;
                        });
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SETATTR);
        var wanted = ((AttributeArguments.SetAttr) call.operations().getLast()).attributes();
        assertEquals(EncodedAttributes.of(AttributeSet.of(Attribute.ACL), list), wanted);
        call.answer(
                Result.done(Opcode.PUTFH),
                new AttributeResult.SetAttr(Nfs4Status.OK, AttributeSet.of(Attribute.ACL)));
        writing.get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void anEntryOfAnUnknownKindIsRefused() throws Exception {
        byte[] owner = text("OWNER@");
        assertEquals(Status.INVAL, refusal(withList(list(4, 0, 1, owner))));
        assertEquals(Status.INVAL, refusal(withList(list(-1, 0, 1, owner))));
        assertEquals(Status.INVAL, refusal(withList(list(0, 0x100, 1, owner))));
        assertEquals(Status.INVAL, refusal(withList(list(0, 0, 0x800, owner))));
        assertEquals(Status.INVAL, refusal(withList(list(0, 0, 1, (byte) 0xff))));
    }

    @Test
    void aFileSystemWithoutListsIsNamed() throws Exception {
        assertEquals(Status.NOTSUPP, refusal(attributes(AttributeSet.of(Attribute.TYPE))));
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "2, false", "15, true"})
    void listsAreKeptWhereEntriesMayAllow(int support, boolean areKept) throws Exception {
        var asking = server.calling(() -> service.accessLists().areKept(FILE, "no"));
        byte[] value = ByteBuffer.allocate(Integer.BYTES).putInt(support).array();
        answer(
                new AttributeResult.GetAttr(
                        EncodedAttributes.of(AttributeSet.of(Attribute.ACLSUPPORT), value)));
        assertEquals(areKept, asking.get(SECONDS, TimeUnit.SECONDS));
    }
}
