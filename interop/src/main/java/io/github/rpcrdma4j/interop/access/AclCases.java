package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.List;

/** Access control lists: the files' own, and those that folders hand on. */
final class AclCases {
    private static final Caller NAMED = Caller.OTHER;
    private static final Caller IN_NAMED_GROUP = Caller.of("in-named-group", 1004, 1004, 4000);
    private static final Caller STRANGER = Caller.of("stranger", 1009, 1009);
    private static final List<Caller> CALLERS =
            List.of(Caller.ROOT, Caller.OWNER, Caller.MEMBER, NAMED, IN_NAMED_GROUP, STRANGER);

    private final Cases cases;

    private AclCases(Cases cases) {
        this.cases = cases;
    }

    static void add(Cases cases) {
        var lists = new AclCases(cases);
        lists.decide();
        lists.change();
        lists.handOn();
    }

    private static Item listed(Item item, String user, String group, String owners, String mask) {
        return item.with(
                "user:1003:" + user, "group:4000:" + group, "group::" + owners, "mask::" + mask);
    }

    private void decide() {
        cases.group("acl");
        var open = listed(Item.file(0640), "rw-", "r--", "r--", "rw-");
        var masked = listed(Item.file(0640), "rw-", "rw-", "rw-", "r--");
        var closed = listed(Item.file(0606), "---", "---", "---", "rwx");
        for (var caller : CALLERS) {
            cases.add("access named may write", caller, Operation.access("f"), open);
            cases.add("access masked", caller, Operation.access("f"), masked);
            cases.add("access named may nothing", caller, Operation.access("f"), closed);
            cases.add("read named may nothing", caller, Operation.read("f"), closed);
            cases.add("read named may write", caller, Operation.read("f"), open);
            cases.add("write named may write", caller, Operation.write("f"), open);
            cases.add("write masked", caller, Operation.write("f"), masked);
            var folder = listed(Item.folder(0750), "rwx", "-wx", "r-x", "rwx");
            cases.add(
                    "create in a folder",
                    caller,
                    Operation.create("d/n", Change.mode(0644)),
                    folder);
            cases.add("list a folder", caller, Operation.readdir("d"), folder);
            cases.add(
                    "times now of a listed file",
                    caller,
                    Operation.setattr("f", Change.times(Change.Time.NOW, Change.Time.NOW)),
                    open);
        }
        cases.add("getattr", STRANGER, Operation.getattr("f"), open);
        cases.add("link of a listed file", NAMED, Operation.link("f", "n"), open);
        cases.add(
                "rename a listed folder",
                NAMED,
                Operation.rename("d/e", "n"),
                Item.folder(0777),
                listed(Item.folder("d/e", 0, 0, 0750), "rwx", "---", "---", "rwx"));
        cases.add(
                "special written",
                NAMED,
                Operation.write("f"),
                listed(Item.file(06755), "rw-", "---", "r-x", "rwx"));
    }

    private void change() {
        cases.group("acl-chmod");
        var open = listed(Item.file(0640), "rw-", "r--", "r--", "rw-");
        for (int mode : new int[] {0, 0600, 0640, 0660, 0777, 02750, 04777}) {
            cases.add(
                    "%04o".formatted(mode),
                    Caller.OWNER,
                    Operation.setattr("f", Change.mode(mode)),
                    open);
            cases.add(
                    "%04o".formatted(mode),
                    Caller.OWNER_IN_GROUP,
                    Operation.setattr("f", Change.mode(mode)),
                    open);
        }
        cases.add("0777", NAMED, Operation.setattr("f", Change.mode(0777)), open);
        cases.add("owner", Caller.ROOT, Operation.setattr("f", Change.uid(7).withGid(8)), open);
        cases.add(
                "of a folder",
                Caller.OWNER,
                Operation.setattr("d", Change.mode(0700)),
                listed(Item.folder(0750), "rwx", "-wx", "r-x", "rwx")
                        .with("default:user::rwx", "default:group::r-x", "default:other::---"));
    }

    /**
     * What new files take from their folder, where the mode of the call cuts and a umask does not.
     */
    private void handOn() {
        cases.group("acl-default");
        var plain = new String[] {"default:user::rwx", "default:group::r-x", "default:other::---"};
        var named =
                new String[] {
                    "default:user::rwx",
                    "default:user:1003:rwx",
                    "default:group::rwx",
                    "default:group:4000:r-x",
                    "default:mask::rwx",
                    "default:other::r-x"
                };
        for (var list : List.of(plain, named)) {
            var name = list == plain ? "plain" : "named";
            var folder = Item.folder("d", 0, 0, 0777).with(list);
            var setgid = Item.folder("d", 0, Caller.SHARED_GID, 02777).with(list);
            for (int mode : new int[] {0, 0600, 0640, 0644, 0666, 0777, 06777}) {
                var words = "%s %04o".formatted(name, mode);
                cases.add(
                        "file " + words,
                        STRANGER,
                        Operation.create("d/n", Change.mode(mode)),
                        folder);
                cases.add(
                        "folder " + words,
                        STRANGER,
                        Operation.mkdir("d/n", Change.mode(mode)),
                        folder);
                cases.add(
                        "fifo " + words,
                        STRANGER,
                        Operation.mknod("d/n", FileType.FIFO, Change.mode(mode)),
                        folder);
                cases.add(
                        "file " + words,
                        Caller.ROOT,
                        Operation.createGuarded("d/n", Change.mode(mode)),
                        folder);
                cases.add(
                        "file in setgid " + words,
                        STRANGER,
                        Operation.create("d/n", Change.mode(mode)),
                        setgid);
                cases.add(
                        "folder in setgid " + words,
                        STRANGER,
                        Operation.mkdir("d/n", Change.mode(mode)),
                        setgid);
            }
            cases.add(
                    "file without mode " + name,
                    STRANGER,
                    Operation.create("d/n", Change.NONE),
                    folder);
            cases.add(
                    "folder without mode " + name,
                    STRANGER,
                    Operation.mkdir("d/n", Change.NONE),
                    folder);
            cases.add("exclusive " + name, STRANGER, Operation.createExclusive("d/n"), folder);
            cases.add("link " + name, STRANGER, Operation.symlink("d/n", "x", Change.NONE), folder);
            cases.add(
                    "renamed in " + name,
                    STRANGER,
                    Operation.rename("f", "d/n"),
                    folder,
                    Item.file(0640));
        }
    }
}
