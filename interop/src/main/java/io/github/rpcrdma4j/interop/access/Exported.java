package io.github.rpcrdma4j.interop.access;

/**
 * An export of the table. Each export is a directory of its own. All of them are insecure: the
 * table is one process, which calls as many users.
 */
public enum Exported {
    OPEN("open", "rw,insecure,no_root_squash"),
    SQUASHED("squashed", "rw,insecure,root_squash"),
    READ_ONLY("fixed", "ro,insecure,no_root_squash"),
    ALL_SQUASHED("all-squashed", "rw,insecure,all_squash,anonuid=1005,anongid=1006");

    private final String directory;
    private final String options;

    Exported(String directory, String options) {
        this.directory = directory;
        this.options = options;
    }

    /** Returns the name of the export's directory, which is its name in the table. */
    public String directory() {
        return directory;
    }

    /** Returns the export options in the syntax of exports(5), which {@code --allow} takes too. */
    public String options() {
        return options;
    }
}
