package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.nfs.server.admin.Administration;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What an administrator reaches of a server.
 *
 * @param metrics returns all metrics, in the text format of Prometheus
 */
public record ControlledServer(
        Administration administration, Reload reload, Supplier<String> metrics) {
    /** Reads the config file of a server again, and opens the file of its log again. */
    public interface Reload {
        /** That of a server without such a file. */
        Reload NONE =
                _ -> {
                    throw new IOException(
                            "this server was started without a config file: rpcrdma serve --config"
                                    + " FILE starts one with it");
                };

        /**
         * @param lines receives the lines for the user
         * @throws IOException if something is wrong; then nothing changes. The message is one line
         */
        void reload(Consumer<String> lines) throws IOException;

        /** Lets SIGHUP do this, too; says so if it cannot. */
        default void onSignal(PrintWriter out) {
            if (this != NONE && !ReloadSignal.onSignal(this::reloadLogged)) {
                out.println("SIGHUP does not reload: it cannot be handled here");
            }
        }

        /** Reloads. The log tells what is wrong. */
        private void reloadLogged() {
            try {
                reload(_ -> {});
            } catch (IOException _) {
                // The user knows it already.
            }
        }
    }
}
