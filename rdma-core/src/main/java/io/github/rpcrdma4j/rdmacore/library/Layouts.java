package io.github.rpcrdma4j.rdmacore.library;

/**
 * The layouts of the structures of libibverbs and librdmacm on 64-bit Linux, in bytes.
 *
 * <p>Each class is a structure, named as in C by {@code C}. Each other constant is the offset of
 * the member with its name, where two underscores are a dot, and {@code SIZE} is the size of the
 * structure. A test compares them with the installed headers.
 */
public final class Layouts {
    private Layouts() {}

    /** {@code struct ibv_context}. Its operations stand for the functions that are inline in C. */
    public static final class Context {
        static final String C = "struct ibv_context";
        public static final long DEVICE = 0;
        public static final long OPS__ALLOC_MW = 64;
        public static final long OPS__DEALLOC_MW = 80;
        public static final long OPS__POLL_CQ = 96;
        public static final long OPS__REQ_NOTIFY_CQ = 104;
        public static final long OPS__POST_SEND = 208;
        public static final long OPS__POST_RECV = 216;
        public static final long CMD_FD = 264;
        public static final long ASYNC_FD = 268;
        public static final long NUM_COMP_VECTORS = 272;

        /** It is behind a mutex of the C library, whose size depends on the processor. */
        public static final long ABI_COMPAT =
                System.getProperty("os.arch").equals("aarch64") ? 328 : 320;

        private Context() {}
    }

    /** {@code struct ibv_device}. */
    public static final class Device {
        static final String C = "struct ibv_device";
        public static final long TRANSPORT_TYPE = 20;
        public static final long NAME = 24;

        private Device() {}
    }

    /** {@code struct ibv_device_attr}. */
    public static final class DeviceAttributes {
        static final String C = "struct ibv_device_attr";
        public static final long SIZE = 232;
        public static final long FW_VER = 0;
        public static final long VENDOR_ID = 96;
        public static final long MAX_QP_WR = 112;
        public static final long DEVICE_CAP_FLAGS = 116;
        public static final long MAX_SGE = 120;
        public static final long MAX_CQE = 132;
        public static final long MAX_QP_RD_ATOM = 144;
        public static final long MAX_QP_INIT_RD_ATOM = 156;
        public static final long PHYS_PORT_CNT = 227;

        private DeviceAttributes() {}
    }

    /**
     * {@code struct ibv_port_attr}. Since rdma-core 50 it ends with four more bytes, for a faster
     * speed.
     */
    public static final class PortAttributes {
        static final String C = "struct ibv_port_attr";
        public static final long SIZE = 56;
        public static final long STATE = 0;
        public static final long ACTIVE_MTU = 8;
        public static final long GID_TBL_LEN = 12;
        public static final long MAX_MSG_SZ = 20;
        public static final long LINK_LAYER = 46;

        private PortAttributes() {}
    }

    /** {@code struct ibv_mr}: a registration. */
    public static final class Registration {
        static final String C = "struct ibv_mr";
        public static final long LKEY = 36;
        public static final long RKEY = 40;

        private Registration() {}
    }

    /** {@code struct ibv_mw}: a memory window. */
    public static final class Window {
        static final String C = "struct ibv_mw";
        public static final long RKEY = 16;

        private Window() {}
    }

    /** {@code struct ibv_comp_channel}. */
    public static final class CompletionChannel {
        static final String C = "struct ibv_comp_channel";
        public static final long FD = 8;

        private CompletionChannel() {}
    }

    /** {@code struct ibv_async_event}. */
    public static final class AsyncEvent {
        static final String C = "struct ibv_async_event";
        public static final long ELEMENT = 0;
        public static final long EVENT_TYPE = 8;

        private AsyncEvent() {}
    }

    /** {@code struct ibv_wc}: a work completion. */
    public static final class WorkCompletion {
        static final String C = "struct ibv_wc";
        public static final long SIZE = 48;
        public static final long WR_ID = 0;
        public static final long STATUS = 8;
        public static final long BYTE_LEN = 20;
        public static final long INVALIDATED_RKEY = 24;
        public static final long WC_FLAGS = 36;

        private WorkCompletion() {}
    }

    /** {@code struct ibv_sge}. */
    public static final class Element {
        static final String C = "struct ibv_sge";
        public static final long SIZE = 16;
        public static final long ADDR = 0;
        public static final long LENGTH = 8;
        public static final long LKEY = 12;

        private Element() {}
    }

    /** {@code struct ibv_recv_wr}. */
    public static final class Receive {
        static final String C = "struct ibv_recv_wr";
        public static final long SIZE = 32;
        public static final long WR_ID = 0;
        public static final long SG_LIST = 16;
        public static final long NUM_SGE = 24;

        private Receive() {}
    }

    /** {@code struct ibv_send_wr}. */
    public static final class Send {
        static final String C = "struct ibv_send_wr";
        public static final long SIZE = 128;
        public static final long WR_ID = 0;
        public static final long NEXT = 8;
        public static final long SG_LIST = 16;
        public static final long NUM_SGE = 24;
        public static final long OPCODE = 28;
        public static final long SEND_FLAGS = 32;
        public static final long INVALIDATE_RKEY = 36;
        public static final long WR__RDMA__REMOTE_ADDR = 40;
        public static final long WR__RDMA__RKEY = 48;
        public static final long BIND_MW__MW = 80;
        public static final long BIND_MW__RKEY = 88;
        public static final long BIND_MW__BIND_INFO__MR = 96;
        public static final long BIND_MW__BIND_INFO__ADDR = 104;
        public static final long BIND_MW__BIND_INFO__LENGTH = 112;
        public static final long BIND_MW__BIND_INFO__MW_ACCESS_FLAGS = 120;

        private Send() {}
    }

    /** {@code struct ibv_qp_init_attr}. */
    public static final class QpInitial {
        static final String C = "struct ibv_qp_init_attr";
        public static final long SIZE = 64;
        public static final long SEND_CQ = 8;
        public static final long RECV_CQ = 16;
        public static final long CAP__MAX_SEND_WR = 32;
        public static final long CAP__MAX_RECV_WR = 36;
        public static final long CAP__MAX_SEND_SGE = 40;
        public static final long CAP__MAX_RECV_SGE = 44;
        public static final long QP_TYPE = 52;

        private QpInitial() {}
    }

    /** {@code struct ibv_qp_attr}. */
    public static final class QpAttributes {
        static final String C = "struct ibv_qp_attr";
        public static final long SIZE = 144;
        public static final long QP_STATE = 0;

        private QpAttributes() {}
    }

    /** {@code struct rdma_event_channel}. */
    public static final class EventChannel {
        static final String C = "struct rdma_event_channel";
        public static final long FD = 0;

        private EventChannel() {}
    }

    /** {@code struct rdma_cm_id}. */
    public static final class Id {
        static final String C = "struct rdma_cm_id";
        public static final long VERBS = 0;
        public static final long QP = 24;
        public static final long ROUTE__ADDR__DST_ADDR = 160;

        private Id() {}
    }

    /** {@code struct rdma_cm_event}. */
    public static final class Event {
        static final String C = "struct rdma_cm_event";
        public static final long ID = 0;
        public static final long LISTEN_ID = 8;
        public static final long EVENT = 16;
        public static final long STATUS = 20;
        public static final long PARAM__CONN__PRIVATE_DATA = 24;
        public static final long PARAM__CONN__PRIVATE_DATA_LEN = 32;
        public static final long PARAM__CONN__RESPONDER_RESOURCES = 33;
        public static final long PARAM__CONN__INITIATOR_DEPTH = 34;

        private Event() {}
    }

    /** {@code struct rdma_conn_param}. */
    public static final class ConnectionParameters {
        static final String C = "struct rdma_conn_param";
        public static final long SIZE = 24;
        public static final long PRIVATE_DATA = 0;
        public static final long PRIVATE_DATA_LEN = 8;
        public static final long RESPONDER_RESOURCES = 9;
        public static final long INITIATOR_DEPTH = 10;
        public static final long RETRY_COUNT = 12;
        public static final long RNR_RETRY_COUNT = 13;

        private ConnectionParameters() {}
    }
}
