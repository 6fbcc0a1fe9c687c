package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.nfs.server.admin.AwaitedClient;
import io.github.rpcrdma4j.nfs.server.admin.ServedClient;
import io.github.rpcrdma4j.nfs.server.admin.ServedCopy;
import io.github.rpcrdma4j.nfs.server.admin.ServedDelegation;
import io.github.rpcrdma4j.nfs.server.admin.ServedFile;
import io.github.rpcrdma4j.nfs.server.admin.ServedLock;
import io.github.rpcrdma4j.nfs.server.admin.ServedOpen;
import io.github.rpcrdma4j.nfs.server.admin.ServedSession;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An entry of a list for administrators.
 *
 * @param words one line for a user
 * @param fields for programs, in their order
 */
record ControlEntry(String words, Map<String, Object> fields) {
    private static final int ALL = -1;

    private static ControlEntry of(String words, Map<String, Object> fields) {
        return new ControlEntry(Printable.line(words), fields);
    }

    /** Returns the number of a client in hexadecimal digits, as 64 bits do not suit JSON. */
    static String id(long client) {
        return HexFormat.of().toHexDigits(client);
    }

    static List<ControlEntry> clients(List<ServedClient> clients) {
        return clients.stream().map(ControlEntry::client).toList();
    }

    private static ControlEntry client(ServedClient client) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("client", id(client.id()));
        fields.put("name", client.name());
        fields.put("principal", client.principal());
        fields.put("host", client.host());
        fields.put("implementation", client.implementation());
        fields.put("confirmed", client.isConfirmed());
        fields.put("idleSeconds", client.idle().toSeconds());
        fields.put("expired", client.isExpired());
        fields.put("recorded", client.isRecorded());
        fields.put("recovered", client.isRecovered());
        fields.put("sessions", client.sessions());
        fields.put("held", client.held());
        fields.put("lost", client.lost());
        fields.put("ranges", client.ranges());
        var words =
                "%s  %s, %s, from %s, idle %d s%s, %s, %s, %s%s%s"
                        .formatted(
                                id(client.id()),
                                client.name(),
                                client.principal(),
                                client.host(),
                                client.idle().toSeconds(),
                                client.isExpired() ? " (expired)" : "",
                                Count.words(client.sessions(), "session"),
                                "holds " + Count.words(client.held(), "stateid"),
                                Count.words(client.ranges(), "locked range"),
                                client.lost() == 0 ? "" : ", lost " + client.lost(),
                                client.isRecorded() ? ", may reclaim" : "");
        return of(words, fields);
    }

    /** Returns a line about a client that was ended: what it has lost. */
    static String ended(ServedClient before) {
        return Printable.line(
                "ended client %s, %s: it has lost %s and %s"
                        .formatted(
                                id(before.id()),
                                before.name(),
                                Count.words(before.held(), "stateid"),
                                Count.words(before.ranges(), "locked range")));
    }

    static List<ControlEntry> awaited(List<AwaitedClient> clients) {
        return clients.stream().map(ControlEntry::awaited).toList();
    }

    private static ControlEntry awaited(AwaitedClient client) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("client", null);
        fields.put("name", client.name());
        fields.put("principal", client.principal());
        fields.put("awaited", true);
        var words =
                "%-16s  %s, %s, may reclaim until the grace period ends"
                        .formatted("not back yet", client.name(), client.principal());
        return of(words, fields);
    }

    static List<ControlEntry> sessions(List<ServedSession> sessions) {
        return sessions.stream().map(ControlEntry::session).toList();
    }

    private static ControlEntry session(ServedSession session) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("session", session.id());
        fields.put("client", id(session.client()));
        fields.put("slots", session.slots());
        fields.put("running", session.running());
        fields.put("connections", session.connections());
        fields.put("backConnections", session.backConnections());
        fields.put("callsBack", session.callsBack());
        var words =
                "%s  client %s, %s, %d in use, %s, %s"
                        .formatted(
                                session.id(),
                                id(session.client()),
                                Count.words(session.slots(), "slot"),
                                session.running(),
                                Count.words(session.connections(), "connection"),
                                session.callsBack() ? "can be called back" : "no callbacks");
        return of(words, fields);
    }

    static List<ControlEntry> opens(List<ServedOpen> opens) {
        return opens.stream().map(ControlEntry::open).toList();
    }

    private static ControlEntry open(ServedOpen open) {
        var fields = fields(open.file(), open.client(), open.owner());
        fields.put("access", word(open.access()));
        fields.put("deny", word(open.deny()));
        var words =
                "%s  client %s, owner %s, access %s, deny %s"
                        .formatted(
                                words(open.file()),
                                id(open.client()),
                                open.owner(),
                                word(open.access()),
                                word(open.deny()));
        return of(words, fields);
    }

    private static String word(ServedOpen.Share share) {
        return share.name().toLowerCase(Locale.ROOT);
    }

    static List<ControlEntry> delegations(List<ServedDelegation> delegations) {
        return delegations.stream().map(ControlEntry::delegation).toList();
    }

    private static ControlEntry delegation(ServedDelegation delegation) {
        var kind = delegation.isForWriting() ? "write" : "read";
        var fields = fields(delegation.file(), delegation.client());
        fields.put("type", kind);
        fields.put("recalled", delegation.isRecalled());
        var words =
                "%s  client %s, %s delegation%s"
                        .formatted(
                                words(delegation.file()),
                                id(delegation.client()),
                                kind,
                                delegation.isRecalled() ? ", recalled" : "");
        return of(words, fields);
    }

    static List<ControlEntry> locks(List<ServedLock> locks) {
        return locks.stream().map(ControlEntry::lock).toList();
    }

    private static ControlEntry lock(ServedLock lock) {
        var type = lock.isExclusive() ? "write" : "read";
        boolean isOpenEnded = lock.length() == ALL;
        var fields = fields(lock.file(), lock.client(), lock.owner());
        fields.put("type", type);
        fields.put("offset", Long.toUnsignedString(lock.offset()));
        fields.put("length", isOpenEnded ? null : Long.toUnsignedString(lock.length()));
        var words =
                "%s  client %s, owner %s, %s lock of %s from %s"
                        .formatted(
                                words(lock.file()),
                                id(lock.client()),
                                lock.owner(),
                                type,
                                isOpenEnded
                                        ? "all bytes"
                                        : Long.toUnsignedString(lock.length()) + " bytes",
                                Long.toUnsignedString(lock.offset()));
        return of(words, fields);
    }

    static List<ControlEntry> copies(List<ServedCopy> copies) {
        return copies.stream().map(ControlEntry::copy).toList();
    }

    private static ControlEntry copy(ServedCopy copy) {
        var fields = fields(copy.file(), copy.client());
        fields.put("copied", Long.toString(copy.bytes()));
        fields.put("length", Long.toString(copy.length()));
        fields.put("running", copy.isRunning());
        var words =
                "%s  client %s, %d of %d bytes copied%s"
                        .formatted(
                                words(copy.file()),
                                id(copy.client()),
                                copy.bytes(),
                                copy.length(),
                                copy.isRunning() ? "" : ", ended, the client does not know yet");
        return of(words, fields);
    }

    private static LinkedHashMap<String, Object> fields(
            ServedFile file, long client, String owner) {
        var fields = fields(file, client);
        fields.put("owner", owner);
        return fields;
    }

    private static LinkedHashMap<String, Object> fields(ServedFile file, long client) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("export", file.export());
        fields.put("inode", file.inode().isPresent() ? file.inode().getAsLong() : null);
        fields.put("client", id(client));
        return fields;
    }

    private static String words(ServedFile file) {
        return file.export()
                + (file.inode().isPresent()
                        ? " inode " + Long.toUnsignedString(file.inode().getAsLong())
                        : " (a file that is gone)");
    }
}
