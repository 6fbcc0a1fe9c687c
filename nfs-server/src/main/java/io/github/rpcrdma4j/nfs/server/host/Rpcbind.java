package io.github.rpcrdma4j.nfs.server.host;

/** Which rpcbind a host registers with. */
public sealed interface Rpcbind {
    /**
     * That of this machine: by its local socket, over which it knows the user of each process; by
     * TCP at port 111 of loopback if there is none.
     */
    record OfMachine() implements Rpcbind {}

    /**
     * One at a TCP port of loopback.
     *
     * @param port from 1 to 65535
     */
    record AtPort(int port) implements Rpcbind {
        private static final int PORT_MAX = 65_535;

        /**
         * Checks the port.
         *
         * @throws IllegalArgumentException if it is none
         */
        public AtPort {
            if (port < 1 || port > PORT_MAX) {
                throw new IllegalArgumentException("a port is from 1 to 65535, not " + port);
            }
        }
    }
}
