package io.github.rpcrdma4j.interop.access;

import java.util.Locale;

/** An export of the table. Each export is a directory of its own. */
public enum Exported {
    OPEN("rw,no_root_squash"),
    SQUASHED("rw,root_squash"),
    FIXED("ro,no_root_squash"),
    ALL_SQUASHED("rw,all_squash,anonuid=1005,anongid=1006");

    private final String options;

    Exported(String options) {
        this.options = options;
    }

    /** Returns the name of the export's directory. */
    public String directory() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the export options in the syntax of exports(5), which {@code --allow} takes too. */
    public String options() {
        return options;
    }
}
