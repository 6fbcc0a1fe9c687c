package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: calls and replies have the names of their programs. Method: messages by hand. */
class NamesOfCallsTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;
    private static final int NFS = 100003;
    private static final int CB = 0x40000042;
    private static final int CREATE_SESSION = 43;

    private static String name(int program, int version, int procedure) {
        var call = HandMade.call(1, program, version, procedure);
        return new Conversation()
                .setUp().send(UP, call.bytes()).connection().calls().stream()
                        .map(CallReport::name)
                        .findFirst()
                        .orElseThrow();
    }

    /** Returns how the reply to a call is shown. */
    private static String outcome(int program, int version, int procedure, int... results) {
        return new Conversation()
                .setUp()
                .send(UP, HandMade.call(1, program, version, procedure).bytes())
                .send(DOWN, HandMade.reply(1).words(results).bytes())
                .connection()
                .calls()
                .getFirst()
                .answer()
                .flatMap(CallReport.Answer::message)
                .map(LayerText::outcome)
                .orElseThrow();
    }

    private static List<String> names(Conversation conversation) {
        return conversation.connection().calls().stream().map(CallReport::name).toList();
    }

    @Test
    void programsBesideNfsHaveNames() {
        assertEquals("NLMv4 LOCK", name(100021, 4, 2));
        assertEquals("NLMv1 GRANTED_MSG", name(100021, 1, 10));
        assertEquals("NLMv3 SHARE", name(100021, 3, 20));
        assertEquals("NSMv1 MON", name(100024, 1, 2));
        assertEquals("NFSACLv3 GETACL", name(100227, 3, 1));
        assertEquals("NFSACLv2 GETXATTRDIR", name(100227, 2, 5));
        assertEquals("PORTMAPv2 GETPORT", name(100000, 2, 3));
        assertEquals("RPCBINDv4 GETADDR", name(100000, 4, 3));
        assertEquals("MOUNTv2 PATHCONF", name(100005, 2, 7));
        assertEquals("CONF_RDMAv1 CONF_RDMA", name(100417, 1, 1));
        assertEquals("CONF_RDMAv1 NULL", name(100417, 1, 0));
    }

    @Test
    void unknownVersionsAndProceduresHaveNumbers() {
        assertEquals("NLMv2 procedure 2", name(100021, 2, 2));
        assertEquals("NLMv4 procedure 17", name(100021, 4, 17));
        assertEquals("NFSv3 procedure 22", name(NFS, 3, 22));
        assertEquals("NFSv4294967295 procedure 1", name(NFS, -1, 1));
        assertEquals("CONF_RDMAv2 procedure 1", name(100417, 2, 1));
        assertEquals("CONF_RDMAv1 procedure 4294967295", name(100417, 1, -1));
        assertEquals("program 4294967295 version 1 procedure 0", name(-1, 1, 0));
    }

    @Test
    void statusesHaveNames() {
        assertEquals("SUCCESS NOENT", outcome(NFS, 4, 1, 2, 0, 0));
        assertEquals("SUCCESS BADSESSION", outcome(NFS, 4, 1, 10052, 0, 0));
        assertEquals("SUCCESS WFLUSH", outcome(NFS, 2, 8, 99));
        assertEquals("SUCCESS JUKEBOX", outcome(NFS, 3, 1, 10008));
        assertEquals("SUCCESS NOTSUPP", outcome(100005, 3, 1, 10004));
        assertEquals("SUCCESS NOENT", outcome(100227, 3, 1, 2, 0));
        assertEquals("SUCCESS DENIED", outcome(100021, 4, 2, 3, 0x61626300, 1));
        assertEquals("SUCCESS FAIL", outcome(100024, 1, 2, 1, 0));
        assertEquals("SUCCESS status 77", outcome(NFS, 3, 1, 77));
        // A result that is cut off, and results without a status.
        assertEquals("SUCCESS", outcome(100021, 4, 2, 3));
        assertEquals("SUCCESS", outcome(100024, 1, 3, 2));
        assertEquals("SUCCESS", outcome(100417, 1, 1, 2, 2, 2));
    }

    /** Goal: a forward call is no callback, even with the number of one. */
    @Test
    void aCallOfTheClientIsNoCallback() {
        assertEquals("program 1073741890 version 1 procedure 1", name(CB, 1, 1));
        assertEquals("SUCCESS", outcome(CB, 1, 1, 2, 0, 0));
    }

    /** Returns CREATE_SESSION with a program of callbacks, in a COMPOUND. */
    private static HandMade createSession(int program) {
        int[] channels = new int[14];
        return HandMade.call(1, NFS, 4, 1)
                .words(0, 1, 1, CREATE_SESSION, 1, 2, 3, 0)
                .words(channels)
                .words(program, 0);
    }

    private static HandMade callback(int program, int version) {
        return HandMade.call(9, program, version, 1).words(0, 1, 0, 1, /* CB_RECALL_SLOT */ 10, 5);
    }

    @Test
    void aCallbackHasTheProgramThatTheClientHasNamed() {
        int named = 0x2345;
        var session = new Conversation().setUp().send(UP, createSession(named).bytes());
        session.send(DOWN, callback(named, 1).bytes());
        session.send(DOWN, HandMade.call(10, named, 1, 0).bytes());
        session.send(DOWN, callback(CB, 1).bytes());
        session.send(DOWN, callback(named, 2).bytes());
        session.send(UP, HandMade.reply(10).bytes());
        assertEquals(
                List.of(
                        "NFSv4 COMPOUND {CREATE_SESSION}",
                        "NFSv4 CB_COMPOUND {CB_RECALL_SLOT}",
                        "NFSv4 CB_NULL",
                        "program 1073741890 version 1 procedure 1",
                        "program 9029 version 2 procedure 1"),
                names(session));
    }

    @Test
    void withoutANamedProgramTheDirectionAndTheArgumentsTell() {
        var unknown = new Conversation().setUp().send(UP, HandMade.call(1, NFS, 4, 0).bytes());
        unknown.send(DOWN, callback(CB, 1).bytes());
        unknown.send(DOWN, callback(77, 1).bytes());
        unknown.send(DOWN, HandMade.call(10, CB, 1, 0).bytes());
        unknown.send(DOWN, HandMade.call(11, CB, 1, 1).words(1, 2, 3, 4).bytes());
        unknown.send(DOWN, callback(CB, 4).bytes());
        assertEquals(
                List.of(
                        "NFSv4 NULL",
                        "NFSv4 CB_COMPOUND {CB_RECALL_SLOT}",
                        "NFSv4 CB_COMPOUND {CB_RECALL_SLOT}",
                        "NFSv4 CB_NULL",
                        "program 1073741890 version 1 procedure 1",
                        "program 1073741890 version 4 procedure 1"),
                names(unknown));
    }

    @Test
    void repliesToCallbacksHaveStatuses() {
        var session = new Conversation().setUp().send(UP, createSession(CB).bytes());
        session.send(DOWN, callback(CB, 1).bytes());
        session.send(UP, HandMade.reply(9).words(10053, 0, 1, 10, 10053).bytes());
        assertEquals(
                "SUCCESS BADSLOT",
                session.connection().calls().getLast().answer().orElseThrow().message().stream()
                        .map(LayerText::outcome)
                        .findFirst()
                        .orElseThrow());
    }
}
