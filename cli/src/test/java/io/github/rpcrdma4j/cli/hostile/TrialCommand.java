package io.github.rpcrdma4j.cli.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The commands of the trials. {@code URL} stands for the server and {@code SOURCE} for a local
 * tree; each command runs in the directory that it may change.
 */
public enum TrialCommand {
    LS("ls URL/data"),
    LS_LONG("ls -l -h URL/data"),
    LS_JSON("ls --json URL/data"),
    LS_EXPORTS("ls -l URL/"),
    TREE("tree URL/data"),
    STAT("stat URL/data/file"),
    STAT_LINK("stat --json URL/data/link"),
    CAT("cat URL/data/file"),
    CAT_LINK("cat URL/data/link"),
    GET("get URL/data/file copy"),
    GET_TREE("get -r URL/data copy"),
    GET_ARCHIVE("get -a URL/data copy"),
    /** Copies into a tree whose links lead to the canary. */
    GET_OVER("get -r URL/data over"),
    /** Copies what a pattern names into the directory of those links. */
    GET_PATTERN("get -r URL/data/* over/data"),
    FIND_PATTERN("find --max-depth 0 URL/data/*/*"),
    PUT("put SOURCE/file URL/data/new"),
    PUT_TREE("put -r SOURCE URL/data/new"),
    PUT_ARCHIVE("put -a SOURCE URL/data/new"),
    /** Copies into an existing directory. */
    PUT_OVER("put -r SOURCE URL/data/directory"),
    RM("rm URL/data/file"),
    RM_TREE("rm -r URL/data/directory"),
    RM_PATTERN("rm -r URL/data/d*"),
    MV("mv URL/data/file /data/moved"),
    MKDIR("mkdir URL/data/made"),
    PING("ping -n 50 URL/"),

    // Of version 4, or of both.
    /** Of a file that is long enough for the server to copy it. */
    CP("cp URL/data/sparse URL/data/copied"),
    CP_TREE("cp -r URL/data/directory URL/data/copied"),
    SYNC_DOWN("sync URL/data/ copy"),
    SYNC_UP("sync SOURCE/ URL/data/new"),
    CHMOD("chmod 600 URL/data/file"),
    LOCK("lock -w 2 URL/data/file -- true"),
    /** Lasts longer than half a lease of the shortest. */
    LOCK_LONG("lock -w 2 URL/data/file -- sleep 7"),
    XATTR("xattr -l URL/data/file"),
    XATTR_SET("xattr -w user.trial value URL/data/file");

    private final String words;

    TrialCommand(String words) {
        this.words = words;
    }

    /** Returns the words of the command line. */
    public List<String> arguments(String url, String source, int deadlineSeconds) {
        var arguments = new ArrayList<String>();
        for (var word : words.split(" ")) {
            arguments.add(word.replace("URL", url).replace("SOURCE", source));
        }
        // Behind the words of a command that is run under a lock they would belong to it.
        arguments.addAll(1, List.of("--deadline", Integer.toString(deadlineSeconds)));
        return arguments;
    }

    /** Returns its name, in small letters and with hyphens. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether the command works on many files, and reports each that fails. */
    public boolean isTree() {
        return switch (this) {
            case TREE,
                    GET_TREE,
                    GET_ARCHIVE,
                    GET_OVER,
                    GET_PATTERN,
                    FIND_PATTERN,
                    PUT_TREE,
                    PUT_ARCHIVE,
                    PUT_OVER,
                    RM_TREE,
                    RM_PATTERN,
                    CP_TREE,
                    SYNC_DOWN,
                    SYNC_UP ->
                    true;
            case LS,
                    LS_LONG,
                    LS_JSON,
                    LS_EXPORTS,
                    STAT,
                    STAT_LINK,
                    CAT,
                    CAT_LINK,
                    GET,
                    PUT,
                    RM,
                    MV,
                    MKDIR,
                    PING,
                    CP,
                    CHMOD,
                    LOCK,
                    LOCK_LONG,
                    XATTR,
                    XATTR_SET ->
                    false;
        };
    }
}
