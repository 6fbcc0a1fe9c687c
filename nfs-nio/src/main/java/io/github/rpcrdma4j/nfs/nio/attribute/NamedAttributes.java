package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Attributes of a file by the names that {@link java.nio.file.Files#readAttributes} takes: {@code
 * posix:owner,group}.
 *
 * <p>Tests: {@code ProviderContract}.
 *
 * @param view the name of the view
 * @param names those of the attributes, or {@code *}
 */
public record NamedAttributes(String view, List<String> names) {
    private static final Set<String> VIEWS =
            Set.of("basic", "owner", "posix", "unix", AclView.NAME, XattrView.NAME);

    private static final String ALL = "*";
    private static final List<String> LISTS = List.of("acl", "owner");
    private static final int MODE_MASK = 07777;

    private static final Map<String, Function<ServerFileAttributes, Object>> BASIC = basic();
    private static final Map<String, Function<ServerFileAttributes, Object>> OWNER =
            Map.of("owner", ServerFileAttributes::owner);
    private static final Map<String, Function<ServerFileAttributes, Object>> POSIX = posix();
    private static final Map<String, Function<ServerFileAttributes, Object>> UNIX = unix();

    private static Map<String, Function<ServerFileAttributes, Object>> basic() {
        var all = new LinkedHashMap<String, Function<ServerFileAttributes, Object>>();
        all.put("size", ServerFileAttributes::size);
        all.put("creationTime", ServerFileAttributes::creationTime);
        all.put("lastAccessTime", ServerFileAttributes::lastAccessTime);
        all.put("lastModifiedTime", ServerFileAttributes::lastModifiedTime);
        all.put("isDirectory", ServerFileAttributes::isDirectory);
        all.put("isRegularFile", ServerFileAttributes::isRegularFile);
        all.put("isSymbolicLink", ServerFileAttributes::isSymbolicLink);
        all.put("isOther", ServerFileAttributes::isOther);
        all.put("fileKey", ServerFileAttributes::fileKey);
        return all;
    }

    private static Map<String, Function<ServerFileAttributes, Object>> posix() {
        var all = new LinkedHashMap<>(BASIC);
        all.put("permissions", ServerFileAttributes::permissions);
        all.put("owner", ServerFileAttributes::owner);
        all.put("group", ServerFileAttributes::group);
        return all;
    }

    private static Map<String, Function<ServerFileAttributes, Object>> unix() {
        var all = new LinkedHashMap<>(POSIX);
        all.put("mode", file -> file.told().mode() & MODE_MASK | ModeBits.of(file.told().type()));
        all.put("ino", file -> file.told().fileId());
        all.put("dev", file -> file.told().fileSystem().major());
        all.put("rdev", file -> device(file.told()));
        all.put("nlink", file -> file.told().links());
        all.put("uid", file -> file.told().uid());
        all.put("gid", file -> file.told().gid());
        all.put("ctime", ServerFileAttributes::changeTime);
        return all;
    }

    private static long device(FileAttributes file) {
        return (long) file.deviceMajor() << Integer.SIZE
                | Integer.toUnsignedLong(file.deviceMinor());
    }

    /**
     * Parses names.
     *
     * @throws UnsupportedOperationException if there is no such view
     * @throws IllegalArgumentException if there are no names
     */
    public static NamedAttributes parse(String text) {
        int colon = text.indexOf(':');
        var view = colon < 0 ? "basic" : text.substring(0, colon);
        if (!VIEWS.contains(view)) {
            throw new UnsupportedOperationException("there is no view \"" + view + "\"");
        }
        var names = List.of(text.substring(colon + 1).split(",", -1));
        if (names.contains("")) {
            throw new IllegalArgumentException("no attribute is named in \"" + text + "\"");
        }
        return new NamedAttributes(view, names);
    }

    /** Returns the names of the views of files that may have lists or extended attributes. */
    public static Set<String> views(boolean haveAcls, boolean haveXattrs) {
        var views = new TreeSet<>(VIEWS);
        views.removeIf(
                each ->
                        each.equals(AclView.NAME) && !haveAcls
                                || each.equals(XattrView.NAME) && !haveXattrs);
        return views;
    }

    /** Returns whether further calls ask for the attributes: extended ones, and lists. */
    public boolean areApart() {
        return view.equals(XattrView.NAME) || view.equals(AclView.NAME);
    }

    private Map<String, Function<ServerFileAttributes, Object>> table() {
        return switch (view) {
            case "basic" -> BASIC;
            case "owner" -> OWNER;
            case "posix" -> POSIX;
            default -> UNIX;
        };
    }

    private IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException(
                "the view \"" + view + "\" has no attribute \"" + name + "\"");
    }

    /** Returns the values of attributes that are not apart. */
    public Map<String, Object> values(ServerFileAttributes attributes) {
        var wanted = names.contains(ALL) ? table().keySet() : names;
        var values = new HashMap<String, Object>();
        for (var name : wanted) {
            var value = table().get(name);
            if (value == null) {
                throw unknown(name);
            }
            values.put(name, value.apply(attributes));
        }
        return values;
    }

    /** Returns the values of attributes that are apart. */
    public Map<String, Object> values(ViewedFile file) throws IOException {
        return view.equals(AclView.NAME) ? lists(new AclView(file)) : extended(file);
    }

    private Map<String, Object> lists(AclView view) throws IOException {
        var values = new HashMap<String, Object>();
        for (var name : names.contains(ALL) ? LISTS : names) {
            values.put(
                    name,
                    switch (name) {
                        case "acl" -> view.getAcl();
                        case "owner" -> view.getOwner();
                        default -> throw unknown(name);
                    });
        }
        return values;
    }

    private Map<String, Object> extended(ViewedFile file) throws IOException {
        var extended = new XattrView(file);
        var values = new HashMap<String, Object>();
        for (var name : names.contains(ALL) ? extended.list() : names) {
            values.put(name, extended.value(name));
        }
        return values;
    }

    /**
     * Changes the only attribute that is named.
     *
     * @throws IllegalArgumentException if it is unknown, or no value like that can be given to it
     * @throws ClassCastException if the value has another type
     */
    public void change(ViewedFile file, Object value) throws IOException {
        if (names.size() != 1) {
            throw new IllegalArgumentException("one attribute is changed at a time: " + names);
        }
        var name = names.getFirst();
        switch (view) {
            case AclView.NAME -> change(new AclView(file), name, value);
            case XattrView.NAME ->
                    new XattrView(file)
                            .write(
                                    name,
                                    value instanceof byte[] bytes
                                            ? ByteBuffer.wrap(bytes)
                                            : (ByteBuffer) value);
            default -> {
                if (!table().containsKey(name)) {
                    throw unknown(name);
                }
                change(new AttributeView(view, file), name, value);
            }
        }
    }

    private void change(AclView lists, String name, Object value) throws IOException {
        switch (name) {
            case "acl" -> lists.setAcl(entries(value));
            case "owner" -> lists.setOwner((UserPrincipal) value);
            default -> throw unknown(name);
        }
    }

    private static List<AclEntry> entries(Object value) {
        var entries = new ArrayList<AclEntry>();
        for (var each : (List<?>) value) {
            entries.add((AclEntry) each);
        }
        return entries;
    }

    private void change(AttributeView file, String name, Object value) throws IOException {
        switch (name) {
            case "lastModifiedTime" -> file.setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> file.setTimes(null, (FileTime) value, null);
            case "creationTime" -> file.setTimes(null, null, (FileTime) value);
            case "owner" -> file.setOwner((UserPrincipal) value);
            case "group" -> file.setGroup((GroupPrincipal) value);
            case "permissions" -> file.setPermissions(permissions(value));
            case "mode" -> file.setMode((Integer) value & MODE_MASK);
            case "uid" -> file.setOwner(OptionalInt.of((Integer) value), OptionalInt.empty());
            case "gid" -> file.setOwner(OptionalInt.empty(), OptionalInt.of((Integer) value));
            default -> throw new IllegalArgumentException("\"" + name + "\" cannot be changed");
        }
    }

    /** Returns permissions that a caller hands over as an object. */
    public static Set<PosixFilePermission> permissions(Object value) {
        var permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (var each : (Set<?>) value) {
            permissions.add((PosixFilePermission) each);
        }
        return permissions;
    }
}
