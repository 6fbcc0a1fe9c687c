package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.server.audit.AuditEntry;
import io.github.rpcrdma4j.nfs.server.audit.AuditedChange;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * A line of an audit: JSON, in ASCII but for what names have of printable UTF-8. Bytes of names
 * that are no UTF-8 are {@link RawText}.
 *
 * <p>Tests: {@code AuditTest}.
 */
final class AuditLine {
    private AuditLine() {}

    /**
     * Returns a line without its end.
     *
     * @param time of the change
     */
    static String of(Instant time, AuditEntry entry) {
        var json = new LinkedHashMap<String, Object>();
        json.put("time", time.toString());
        json.put("host", entry.client().getAddress().getHostAddress());
        json.put("port", entry.client().getPort());
        json.put("version", entry.version());
        claimed(json, entry.claimed());
        entry.user().ifPresent(user -> json.put("user", user(user.uid(), user.gid())));
        json.put("export", entry.export());
        change(json, entry.change());
        entry.failure().ifPresent(reason -> json.put("failure", reason));
        return Json.of(json);
    }

    private static void claimed(Map<String, Object> json, Credential claimed) {
        switch (claimed) {
            case Credential.None() -> {}
            case Credential.Sys sys -> json.put("claimed", user(sys.uid(), sys.gid()));
            case Credential.Principal(var name, _) -> json.put("principal", name);
        }
    }

    private static Map<String, Object> user(int uid, int gid) {
        var user = new LinkedHashMap<String, Object>();
        user.put("uid", Integer.toUnsignedLong(uid));
        user.put("gid", Integer.toUnsignedLong(gid));
        return user;
    }

    private static void change(Map<String, Object> json, AuditedChange change) {
        switch (change) {
            case AuditedChange.Removed removed -> {
                json.put("operation", removed.isDirectory() ? "rmdir" : "remove");
                name(json, "", removed.name());
                number(json, "fileId", removed.number());
            }
            case AuditedChange.Renamed renamed -> {
                json.put("operation", "rename");
                name(json, "", renamed.from());
                number(json, "fileId", renamed.number());
                name(json, "new", renamed.to());
                number(json, "replacedFileId", renamed.replaced());
            }
            case AuditedChange.Linked linked -> {
                json.put("operation", "link");
                file(json, linked.file());
                name(json, "new", linked.name());
            }
            case AuditedChange.RightsSet rights -> {
                json.put("operation", "setattr");
                file(json, rights.file());
                rights(json, rights);
            }
        }
    }

    private static void file(Map<String, Object> json, AuditedChange.File file) {
        file.path().ifPresent(path -> json.put("path", RawText.of(path.bytes())));
        number(json, "fileId", file.number());
    }

    /** Adds a name by its path or, if the server cannot tell that, by what it knows. */
    private static void name(Map<String, Object> json, String prefix, AuditedChange.Name name) {
        var path = name.path();
        if (path.isPresent()) {
            json.put(key(prefix, "path"), RawText.of(path.get().bytes()));
        } else {
            json.put(key(prefix, "name"), RawText.of(name.name().bytes()));
            number(json, key(prefix, "directoryFileId"), name.directory().number());
        }
    }

    private static String key(String prefix, String key) {
        return prefix.isEmpty()
                ? key
                : prefix + Character.toUpperCase(key.charAt(0)) + key.substring(1);
    }

    /** 64 bits do not suit JSON. */
    private static void number(Map<String, Object> json, String key, OptionalLong number) {
        number.ifPresent(known -> json.put(key, Long.toUnsignedString(known)));
    }

    private static void rights(Map<String, Object> json, AuditedChange.RightsSet rights) {
        rights.mode().ifPresent(mode -> json.put("mode", octal(mode)));
        rights.uid().ifPresent(uid -> json.put("uid", Integer.toUnsignedLong(uid)));
        rights.gid().ifPresent(gid -> json.put("gid", Integer.toUnsignedLong(gid)));
        rights.acls()
                .ifPresent(
                        both -> {
                            json.put("acl", text(both.access()));
                            both.defaults().ifPresent(list -> json.put("defaultAcl", text(list)));
                        });
        rights.before()
                .ifPresent(
                        old -> {
                            var before = new LinkedHashMap<String, Object>();
                            before.put("mode", octal(old.mode()));
                            before.putAll(user(old.uid(), old.gid()));
                            json.put("before", before);
                        });
    }

    private static String octal(int mode) {
        return "%04o".formatted(mode);
    }

    /** Returns a list in the short text form of acl(5), with numbers for users and groups. */
    private static String text(PosixAcl list) {
        return list.entries().stream().map(AuditLine::text).collect(Collectors.joining(","));
    }

    private static String text(PosixAcl.Entry entry) {
        var tag =
                switch (entry.tag()) {
                    case USER_OBJ, USER -> "user";
                    case GROUP_OBJ, GROUP -> "group";
                    case MASK -> "mask";
                    case OTHER -> "other";
                };
        var id = entry.tag().hasId() ? Integer.toUnsignedString(entry.id()) : "";
        int bits = entry.permissions();
        return tag
                + ":"
                + id
                + ":"
                + ((bits & PosixAcl.READ) == 0 ? '-' : 'r')
                + ((bits & PosixAcl.WRITE) == 0 ? '-' : 'w')
                + ((bits & PosixAcl.EXECUTE) == 0 ? '-' : 'x');
    }
}
