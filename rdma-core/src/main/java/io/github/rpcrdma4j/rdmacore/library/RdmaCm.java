package io.github.rpcrdma4j.rdmacore.library;

import java.util.Optional;

/**
 * The functions of librdmacm. Thread-safe.
 *
 * <p>A function that returns a pointer returns the negative error number if it fails. The others
 * return 0, or the error number.
 */
public final class RdmaCm {
    public static final int EVENT_ADDRESS_RESOLVED = 0;
    public static final int EVENT_ADDRESS_ERROR = 1;
    public static final int EVENT_ROUTE_RESOLVED = 2;
    public static final int EVENT_ROUTE_ERROR = 3;
    public static final int EVENT_CONNECT_REQUEST = 4;
    public static final int EVENT_CONNECT_ERROR = 6;
    public static final int EVENT_UNREACHABLE = 7;
    public static final int EVENT_REJECTED = 8;
    public static final int EVENT_ESTABLISHED = 9;
    public static final int EVENT_DISCONNECTED = 10;
    public static final int EVENT_DEVICE_REMOVAL = 11;
    public static final int EVENT_ADDRESS_CHANGE = 14;
    public static final int EVENT_TIMEWAIT_EXIT = 15;

    private static final int PORT_SPACE_TCP = 0x0106;

    private static final Function GET_DEVICES = Libraries.rdmacm("rdma_get_devices");
    private static final Function FREE_DEVICES = Libraries.rdmacm("rdma_free_devices");
    private static final Function CREATE_EVENT_CHANNEL =
            Libraries.rdmacm("rdma_create_event_channel");
    private static final Function CREATE_ID = Libraries.rdmacm("rdma_create_id");
    private static final Function DESTROY_ID = Libraries.rdmacm("rdma_destroy_id");
    private static final Function RESOLVE_ADDR = Libraries.rdmacm("rdma_resolve_addr");
    private static final Function RESOLVE_ROUTE = Libraries.rdmacm("rdma_resolve_route");
    private static final Function BIND_ADDR = Libraries.rdmacm("rdma_bind_addr");
    private static final Function LISTEN = Libraries.rdmacm("rdma_listen");
    private static final Function GET_SRC_PORT = Libraries.rdmacm("rdma_get_src_port");
    private static final Function CREATE_QP = Libraries.rdmacm("rdma_create_qp");
    private static final Function DESTROY_QP = Libraries.rdmacm("rdma_destroy_qp");
    private static final Function CONNECT = Libraries.rdmacm("rdma_connect");
    private static final Function ACCEPT = Libraries.rdmacm("rdma_accept");
    private static final Function REJECT = Libraries.rdmacm("rdma_reject");
    private static final Function DISCONNECT = Libraries.rdmacm("rdma_disconnect");
    private static final Function GET_CM_EVENT = Libraries.rdmacm("rdma_get_cm_event");
    private static final Function ACK_CM_EVENT = Libraries.rdmacm("rdma_ack_cm_event");

    private RdmaCm() {}

    /** Returns why the library cannot be used. The functions above were looked up before. */
    static Optional<String> missing() {
        return Libraries.missing();
    }

    /** Returns the array of open contexts, which ends with a null pointer. */
    public static long devices(long count) {
        return GET_DEVICES.pointer(count, 0, 0, 0, 0);
    }

    /** Frees the array, but not the contexts, which stay open. */
    public static void freeDevices(long devices) {
        FREE_DEVICES.status(devices);
    }

    static long createEventChannel() {
        return CREATE_EVENT_CHANNEL.pointer(0, 0, 0, 0, 0);
    }

    /**
     * Stores a new id for reliable connections at {@code into}.
     *
     * @param channel the channel of its events; 0 if the calls on the id wait for them
     */
    public static int createId(long channel, long into) {
        return CREATE_ID.status(channel, into, 0, PORT_SPACE_TCP);
    }

    /** Destroys an id. Waits until all its events are acknowledged. */
    public static int destroyId(long id) {
        return DESTROY_ID.status(id);
    }

    public static int resolveAddress(long id, long address, int timeoutMillis) {
        return RESOLVE_ADDR.status(id, 0, address, timeoutMillis);
    }

    public static int resolveRoute(long id, int timeoutMillis) {
        return RESOLVE_ROUTE.status(id, timeoutMillis);
    }

    public static int bind(long id, long address) {
        return BIND_ADDR.status(id, address);
    }

    public static int listen(long id, int backlog) {
        return LISTEN.status(id, backlog);
    }

    /** Returns the local port of an id, in host order. */
    public static int sourcePort(long id) {
        int port = GET_SRC_PORT.number(id, 0, 0) & 0xffff;
        return Short.toUnsignedInt(Short.reverseBytes((short) port));
    }

    static int createQp(long id, long pd, long attributes) {
        return CREATE_QP.status(id, pd, attributes);
    }

    static void destroyQp(long id) {
        DESTROY_QP.status(id);
    }

    public static int connect(long id, long parameters) {
        return CONNECT.status(id, parameters);
    }

    public static int accept(long id, long parameters) {
        return ACCEPT.status(id, parameters);
    }

    public static int reject(long id, long privateData, int length) {
        return REJECT.status(id, privateData, length);
    }

    public static int disconnect(long id) {
        return DISCONNECT.status(id);
    }

    static int getEvent(long channel, long into) {
        return GET_CM_EVENT.status(channel, into);
    }

    static void ackEvent(long event) {
        ACK_CM_EVENT.status(event);
    }
}
