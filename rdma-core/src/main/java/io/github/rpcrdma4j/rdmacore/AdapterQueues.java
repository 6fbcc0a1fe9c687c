package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.rdmacore.library.Layouts.Element;
import io.github.rpcrdma4j.rdmacore.library.Layouts.Id;
import io.github.rpcrdma4j.rdmacore.library.Layouts.QpAttributes;
import io.github.rpcrdma4j.rdmacore.library.Layouts.QpInitial;
import io.github.rpcrdma4j.rdmacore.library.Layouts.Receive;
import io.github.rpcrdma4j.rdmacore.library.Layouts.WorkCompletion;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The adapter's own queue pair and completion queue of one connection. Guarded by the queue pair.
 *
 * <p>Tests: {@code AdapterConnections}.
 */
final class AdapterQueues {
    private static final int COMPLETIONS = 16;
    private static final long RECEIVE = 1L << 63;

    private final Device device;
    private final AdapterDomain domain;
    private final long id;
    private final long number;
    private final long cq;
    private final long qp;
    private final MemorySegment memory;
    private final long completions;
    private final long receive;
    private final long element;
    private final long bad;
    private final long attributes;
    private final long initial;

    /**
     * Makes the queues for a resolved or requested connection.
     *
     * @throws RdmaException if the adapter has no room
     */
    AdapterQueues(
            AdapterDomain domain,
            long id,
            int sendQueueSize,
            int receiveQueueSize,
            AdapterQueuePair queuePair)
            throws RdmaException {
        this.device = domain.device;
        this.domain = domain;
        this.id = id;
        long bytes = COMPLETIONS * WorkCompletion.SIZE;
        memory = Arena.ofAuto().allocate(bytes + 512, Long.BYTES);
        completions = memory.address();
        receive = completions + bytes;
        element = receive + Receive.SIZE;
        bad = element + Element.SIZE;
        attributes = bad + Long.BYTES;
        initial = attributes + QpAttributes.SIZE;
        domain.addUser();
        number = device.watchQueue(queuePair);
        cq =
                Verbs.createCq(
                        device.context,
                        sendQueueSize + receiveQueueSize + 1,
                        number,
                        device.completionChannel());
        if (cq < 0) {
            forget();
            throw new RdmaException.ConnectionLost(
                    device.name + " has no completion queue left: " + Errno.text((int) -cq), null);
        }
        int error = createPair(sendQueueSize, receiveQueueSize);
        if (error != 0) {
            Verbs.destroyCq(cq);
            forget();
            throw new RdmaException.ConnectionLost(
                    device.name + " has no queue pair left: " + Errno.text(error), null);
        }
        qp = Memory.int64(id + Id.QP);
        device.watchPair(qp, queuePair);
        device.watchPair(cq, queuePair);
    }

    private int createPair(int sendQueueSize, int receiveQueueSize) {
        Memory.clear(initial, QpInitial.SIZE);
        Memory.int64(initial + QpInitial.SEND_CQ, cq);
        Memory.int64(initial + QpInitial.RECV_CQ, cq);
        Memory.int32(initial + QpInitial.CAP__MAX_SEND_WR, sendQueueSize);
        Memory.int32(initial + QpInitial.CAP__MAX_RECV_WR, receiveQueueSize);
        Memory.int32(initial + QpInitial.CAP__MAX_SEND_SGE, device.gatherMax);
        Memory.int32(initial + QpInitial.CAP__MAX_RECV_SGE, 1);
        Memory.int32(initial + QpInitial.QP_TYPE, Verbs.QP_TYPE_RC);
        return device.connectionChannel().createQp(id, domain.pd(), initial);
    }

    private void forget() {
        device.forgetQueue(number);
        domain.removeUser();
    }

    long qp() {
        return qp;
    }

    /** Posts a receive. Returns 0 or an error number. */
    int postReceive(ReceiveQueue.Posted posted) {
        Memory.clear(receive, Receive.SIZE);
        Memory.int64(receive + Receive.WR_ID, RECEIVE);
        Memory.int64(receive + Receive.SG_LIST, element);
        // siw refuses a receive without an element, even if it has no bytes.
        Memory.int32(receive + Receive.NUM_SGE, 1);
        Memory.int64(element + Element.ADDR, posted.region().address() + posted.offset());
        Memory.int32(element + Element.LENGTH, (int) posted.length());
        Memory.int32(element + Element.LKEY, posted.region().localKey());
        return Verbs.postReceives(device.postReceive, qp, receive, bad);
    }

    /**
     * Takes up to 16 completions, which the next methods describe. Returns how many there are, or a
     * negative number if the adapter has no completions any more.
     */
    int poll() {
        return Verbs.pollCq(device.pollCq, cq, COMPLETIONS, completions);
    }

    private long at(int index) {
        return completions + index * WorkCompletion.SIZE;
    }

    boolean isReceive(int index) {
        return Memory.int64(at(index) + WorkCompletion.WR_ID) == RECEIVE;
    }

    /** Returns the number of the piece of a send. */
    long piece(int index) {
        return Memory.int64(at(index) + WorkCompletion.WR_ID);
    }

    int status(int index) {
        return Memory.int32(at(index) + WorkCompletion.STATUS);
    }

    long bytes(int index) {
        return Integer.toUnsignedLong(Memory.int32(at(index) + WorkCompletion.BYTE_LEN));
    }

    boolean isInvalidated(int index) {
        int flag = device.isRxe ? Verbs.KERNEL_WC_WITH_INV : Verbs.WC_WITH_INV;
        return (Memory.int32(at(index) + WorkCompletion.WC_FLAGS) & flag) != 0;
    }

    int invalidatedHandle(int index) {
        return Memory.int32(at(index) + WorkCompletion.INVALIDATED_RKEY);
    }

    /** Asks for an event at the next completion. Returns 0 or an error number. */
    int requestNotification() {
        return Verbs.requestNotification(device.requestNotification, cq);
    }

    /** Returns whether the adapter has moved the queue pair to the error state. */
    boolean isFailed() {
        return Verbs.state(qp, attributes, initial) == Verbs.QP_STATE_ERROR;
    }

    /** Makes the adapter flush the work. If it refuses, the work ends with the queues. */
    void fail() {
        Verbs.fail(qp, attributes);
    }

    /**
     * Destroys the queues. The adapter uses no memory of their work any more, unless it refuses to
     * destroy them, which librdmacm does not tell.
     */
    void destroy() {
        device.forgetPair(qp);
        device.forgetPair(cq);
        device.connectionChannel().destroyQp(id);
        Errors.logUnlessFreed(Verbs.destroyCq(cq), "a completion queue");
        forget();
    }
}
