package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A client of rpcbind that looks up and registers the addresses of programs. Thread-safe. The
 * caller keeps ownership of the connection.
 *
 * <p>Most rpcbinds accept registrations from their own host only. Many answer GETADDR for the
 * transport that carried the query, not for the transport in it (RFC 1833, Section 2.2.1). So
 * GETADDR over TCP may find no RDMA listener, but {@link #listener} does.
 *
 * <p>Tests: {@code RpcbindTest}, {@code RegistrationsTest}.
 */
public final class RpcbindClient {
    /** The program number. */
    public static final int PROGRAM = 100000;

    /** The TCP port on which rpcbind listens. */
    public static final int PORT = 111;

    /** The version with {@link Mapping}: PMAP_VERS. */
    static final int VERSION_2 = 2;

    /** The first version with {@link Rpcb}: RPCBVERS. */
    static final int VERSION_3 = 3;

    /** The second version with {@link Rpcb}: RPCBVERS4. */
    static final int VERSION_4 = 4;

    /** The number of SET in all versions. */
    static final int SET = 1;

    /** The number of UNSET in all versions. */
    static final int UNSET = 2;

    /** The number of GETPORT in version 2. */
    static final int GETPORT = 3;

    /** The number of GETADDR in versions 3 and 4. */
    static final int GETADDR = 3;

    /** The number of DUMP in all versions. */
    static final int DUMP = 4;

    /** The most registrations that the client keeps of one reply. */
    static final int REGISTRATIONS_MAX = 1024;

    /**
     * The longest list of registrations, in bytes: hundreds of thousands. Any user of a host may
     * register programs there, and should not keep others from reading what there is of theirs.
     */
    private static final long REGISTRATIONS_BYTES_MAX = 16L << 20;

    private static final int PORT_MAX = 0xffff;

    /** The longest results of all procedures but DUMP, in bytes. */
    private static final long RESULTS_MAX = Integer.BYTES + Rpcb.STRING_MAX;

    private final RpcClient client;
    private final int version;
    private final Duration timeout;

    /**
     * Creates a client over a connection.
     *
     * @param client a connection to the rpcbind
     * @param version 3 or 4: the version of rpcbind for methods with {@link Rpcb}
     * @param timeout the bound on each call
     */
    public RpcbindClient(RpcClient client, int version, Duration timeout) {
        if (version != VERSION_3 && version != VERSION_4) {
            throw new IllegalArgumentException("universal addresses need rpcbind version 3 or 4");
        }
        this.client = client;
        this.version = version;
        this.timeout = timeout;
    }

    /**
     * Registers a program: SET.
     *
     * @return false if rpcbind refused: another registration exists, or the caller lacks permission
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public boolean set(Rpcb registration) throws RpcException, InterruptedException {
        return ask(version, SET, registration::encode, XdrReader::bool);
    }

    /**
     * Removes a registration: UNSET.
     *
     * @return false if there was none, or the caller lacks permission
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public boolean unset(Rpcb registration) throws RpcException, InterruptedException {
        return ask(version, UNSET, registration::encode, XdrReader::bool);
    }

    /**
     * Returns the address at which a program listens: GETADDR.
     *
     * @return empty if the program is not registered
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public Optional<InetSocketAddress> address(Rpcb question)
            throws RpcException, InterruptedException {
        var text = ask(version, GETADDR, question::encode, in -> in.string(Rpcb.STRING_MAX));
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var address = UniversalAddress.parse(text);
        if (address.isEmpty()) {
            throw new RpcException.BadReply("the server's rpcbind returned an invalid address");
        }
        return address;
    }

    /**
     * Registers a program in version 2: SET.
     *
     * @return false if rpcbind refused
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public boolean set(Mapping mapping) throws RpcException, InterruptedException {
        return ask(VERSION_2, SET, mapping::encode, XdrReader::bool);
    }

    /**
     * Removes a registration of version 2, for all protocols: UNSET.
     *
     * @return false if there was none
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public boolean unset(Mapping mapping) throws RpcException, InterruptedException {
        return ask(VERSION_2, UNSET, mapping::encode, XdrReader::bool);
    }

    /**
     * Returns the port on which a program listens: GETPORT.
     *
     * @return 0 if the program is not registered
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public int port(Mapping question) throws RpcException, InterruptedException {
        int port = ask(VERSION_2, GETPORT, question::encode, XdrReader::uint32);
        if (port < 0 || port > PORT_MAX) {
            throw new RpcException.BadReply("the server's rpcbind returned an invalid port");
        }
        return port;
    }

    /**
     * Returns all registrations, for all transports: DUMP. What is not UTF-8 in them becomes
     * replacement characters.
     *
     * @throws RpcException if the call failed, or its reply was malformed, or has more than 1024
     */
    public List<Rpcb> registrations() throws RpcException, InterruptedException {
        return registrations(_ -> true);
    }

    /**
     * Returns the registrations for which something holds: DUMP. It does not matter how many others
     * there are, up to a list of 16 MiB.
     *
     * @throws RpcException if the call failed, or its reply was malformed or too long
     */
    List<Rpcb> registrations(Predicate<Rpcb> which) throws RpcException, InterruptedException {
        return ask(
                version,
                DUMP,
                _ -> {},
                in -> {
                    var found = new ArrayList<Rpcb>();
                    while (in.bool()) {
                        var each = Rpcb.decode(in);
                        if (which.test(each)) {
                            if (found.size() == REGISTRATIONS_MAX) {
                                throw new XdrException("too many registrations");
                            }
                            found.add(each);
                        }
                    }
                    return found;
                },
                REGISTRATIONS_BYTES_MAX);
    }

    /**
     * Returns the address at which a program listens for a transport, independent of the transport
     * of this query.
     *
     * @return empty if the program is not registered; the host may be the wildcard address
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public Optional<InetSocketAddress> listener(int program, int programVersion, Netid netid)
            throws RpcException, InterruptedException {
        var wanted = new Rpcb(program, programVersion, netid.word(), "", "");
        return Registration.find(this, wanted)
                .flatMap(each -> UniversalAddress.parse(each.rpcb().address()));
    }

    private interface Results<T> {
        T decode(XdrReader in) throws XdrException;
    }

    private <T> T ask(int version, int procedure, Consumer<XdrWriter> arguments, Results<T> results)
            throws RpcException, InterruptedException {
        return ask(version, procedure, arguments, results, RESULTS_MAX);
    }

    private <T> T ask(
            int version,
            int procedure,
            Consumer<XdrWriter> arguments,
            Results<T> results,
            long resultsMax)
            throws RpcException, InterruptedException {
        var call = new RpcCall(PROGRAM, version, procedure, arguments, resultsMax);
        try (var reply = client.call(call, timeout)) {
            var value = results.decode(reply.results());
            reply.results().finish();
            return value;
        } catch (XdrException malformed) {
            throw new RpcException.BadReply(
                    "the reply of the server's rpcbind is malformed: " + malformed.getMessage());
        }
    }
}
