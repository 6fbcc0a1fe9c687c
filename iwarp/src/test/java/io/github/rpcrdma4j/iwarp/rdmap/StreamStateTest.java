package io.github.rpcrdma4j.iwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StreamStateTest {
    @Test
    @Tag("5040-5.4-1")
    @Tag("5040-5.4-3")
    @Tag("5040-6.2-1")
    @Tag("5040-6.2-2")
    @Tag("5040-7.1-2")
    @Tag("5040-7.1-3")
    @Tag("5041-6.2-1")
    @Tag("5041-7.1-12")
    void takesTheseSteps() {
        var table = new ArrayList<String>();
        for (var state : StreamState.values()) {
            for (var event : StreamState.Event.values()) {
                var step = state.on(event);
                table.add(state + " " + event + " -> " + step.next() + " " + step.actions());
            }
        }
        assertEquals(
                List.of(
                        "UNCONNECTED CONNECTED -> OPEN []",
                        "UNCONNECTED FAULT -> UNCONNECTED []",
                        "UNCONNECTED TERMINATE_RECEIVED -> UNCONNECTED []",
                        "UNCONNECTED LLP_CLOSED -> UNCONNECTED []",
                        "UNCONNECTED LLP_LOST -> UNCONNECTED []",
                        "UNCONNECTED LOCAL_ERROR -> UNCONNECTED []",
                        "UNCONNECTED SEND_FAILED -> UNCONNECTED []",
                        "UNCONNECTED POLLED -> UNCONNECTED []",
                        "UNCONNECTED LOCAL_CLOSE -> CLOSED [FLUSH]",
                        "UNCONNECTED GRACE_OVER -> UNCONNECTED []",
                        "OPEN CONNECTED -> OPEN []",
                        "OPEN FAULT -> CLOSED [SEND_TERMINATE, CLOSE_LLP, FLUSH]",
                        "OPEN TERMINATE_RECEIVED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "OPEN LLP_CLOSED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "OPEN LLP_LOST -> CLOSED [CLOSE_LLP, FLUSH]",
                        "OPEN LOCAL_ERROR -> CLOSED [CLOSE_LLP, FLUSH]",
                        "OPEN SEND_FAILED -> BROKEN [REPORT]",
                        "OPEN POLLED -> OPEN []",
                        "OPEN LOCAL_CLOSE -> CLOSING []",
                        "OPEN GRACE_OVER -> OPEN []",
                        "CLOSING CONNECTED -> CLOSING []",
                        "CLOSING FAULT -> CLOSED [SEND_TERMINATE, CLOSE_LLP, FLUSH]",
                        "CLOSING TERMINATE_RECEIVED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "CLOSING LLP_CLOSED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "CLOSING LLP_LOST -> CLOSED [CLOSE_LLP, FLUSH]",
                        "CLOSING LOCAL_ERROR -> CLOSED [CLOSE_LLP, FLUSH]",
                        "CLOSING SEND_FAILED -> BROKEN [REPORT]",
                        "CLOSING POLLED -> CLOSING []",
                        "CLOSING LOCAL_CLOSE -> CLOSING []",
                        "CLOSING GRACE_OVER -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN CONNECTED -> BROKEN []",
                        "BROKEN FAULT -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN TERMINATE_RECEIVED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN LLP_CLOSED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN LLP_LOST -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN LOCAL_ERROR -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN SEND_FAILED -> BROKEN []",
                        "BROKEN POLLED -> CLOSED [CLOSE_LLP, FLUSH]",
                        "BROKEN LOCAL_CLOSE -> BROKEN []",
                        "BROKEN GRACE_OVER -> CLOSED [CLOSE_LLP, FLUSH]",
                        "CLOSED CONNECTED -> CLOSED []",
                        "CLOSED FAULT -> CLOSED []",
                        "CLOSED TERMINATE_RECEIVED -> CLOSED []",
                        "CLOSED LLP_CLOSED -> CLOSED []",
                        "CLOSED LLP_LOST -> CLOSED []",
                        "CLOSED LOCAL_ERROR -> CLOSED []",
                        "CLOSED SEND_FAILED -> CLOSED []",
                        "CLOSED POLLED -> CLOSED []",
                        "CLOSED LOCAL_CLOSE -> CLOSED []",
                        "CLOSED GRACE_OVER -> CLOSED []"),
                table);
    }

    @Test
    void sendsNothingAfterAFailedSend() {
        assertEquals(
                EnumSet.of(StreamState.OPEN, StreamState.CLOSING), those(StreamState::maySend));
        assertEquals(
                EnumSet.of(StreamState.OPEN, StreamState.CLOSING, StreamState.BROKEN),
                those(StreamState::isConnected));
    }

    private static Set<StreamState> those(Predicate<StreamState> wanted) {
        return Stream.of(StreamState.values()).filter(wanted).collect(Collectors.toSet());
    }
}
