package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;
import java.util.OptionalInt;

/**
 * What a file system makes of new files of this user. Servers may give them to another user, and
 * some file systems keep neither owners nor set-ID bits.
 *
 * @param owner the user that owns them; empty if it is the one that asks
 * @param keepsSetIds whether they keep set-ID bits
 */
record NewFileTraits(OptionalInt owner, boolean keepsSetIds) {
    /** Those of a file system that changes nothing. */
    static final NewFileTraits USUAL = new NewFileTraits(OptionalInt.empty(), true);

    /** Finds the traits of the file system that holds a copy. */
    interface Asking {
        NewFileTraits ask() throws IOException, InterruptedException;

        /**
         * Returns whether new files get this group if this user gives it to them. A server may know
         * other groups of the user than this machine.
         */
        boolean givesTo(int group) throws IOException, InterruptedException;
    }

    /** The answers that a trial assumes, which makes no file. */
    static final Asking ASSUMED =
            new Asking() {
                @Override
                public NewFileTraits ask() {
                    return USUAL;
                }

                @Override
                public boolean givesTo(int group) {
                    return true;
                }
            };
}
