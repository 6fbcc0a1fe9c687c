package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import io.github.rpcrdma4j.testing.LoggedLines;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: an operator finds in the log what became of the state of clients, and peers cannot fill it.
 */
class StateNoticesTest {
    private static final long ID = 0x0a1b_2c3d_4e5f_6071L;

    private final LoggedLines logged = new LoggedLines(StateNotices.class);
    private final List<String> lines = logged.lines;
    private final StateNotices notices = new StateNotices();

    @AfterEach
    void stop() {
        logged.close();
    }

    private static Action lost(String name, Action.Loss cause) {
        var owner = OpaqueName.of(name.getBytes(StandardCharsets.UTF_8));
        return new Action.StateLost(subject(owner, "192.0.2.7"), cause, 3);
    }

    private static Action.Subject subject(OpaqueName name, String address) {
        var host = new CallerHost(ClientAddress.of(InetAddress.ofLiteral(address)));
        return new Action.Subject(ID, name, host, address);
    }

    @Test
    void tellsHowTheGracePeriodBeginsAndEnds() {
        notices.graceBegins(90, 2);
        notices.tell(List.of(new Action.GraceEnded(1)));
        notices.tell(List.of(new Action.GraceEnded(0)));
        assertEquals(
                List.of(
                        "INFO grace period of 90 s: 2 clients may reclaim; nothing new is opened or"
                                + " locked meanwhile",
                        "INFO the grace period is over: 1 client did not come back in time",
                        "INFO the grace period is over: all clients are back"),
                lines);
    }

    @Test
    void tellsOfEachClientThatTheAdministratorEnds() {
        for (var name : List.of("a", "b\nWARNING forged")) {
            notices.tell(List.of(lost(name, Action.Loss.ENDED)));
        }
        assertEquals(
                List.of(
                        "WARNING the administrator ended a client: client 0a1b2c3d (a) at"
                                + " 192.0.2.7, opens and lock owners: 3",
                        "WARNING the administrator ended a client: client 0a1b2c3d"
                                + " (hex:620a5741524e494e4720666f72676564) at 192.0.2.7, opens and lock"
                                + " owners: 3"),
                lines);
    }

    @Test
    void tellsOfWhatClientsBringAboutOnceAMinute() throws Exception {
        for (int i = 0; i < 1000; i++) {
            notices.tell(List.of(lost("a" + i, Action.Loss.EXPIRED)));
        }
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains("(a0)"), lines::toString);
    }

    /** Neither those of other hosts, nor those of others in a network of IPv6. */
    @ParameterizedTest
    @EnumSource
    void noClientKeepsWhatOthersLostOutOfTheLog(Action.Loss cause) {
        var name = OpaqueName.of("name".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 100; i++) {
            for (var each : List.of("192.0.2.7", "fd00:1::7")) {
                var evil = OpaqueName.of(("evil " + i).getBytes(StandardCharsets.UTF_8));
                notices.tell(List.of(new Action.StateLost(subject(evil, each), cause, 3)));
            }
        }
        lines.clear();
        for (var each : List.of("192.0.2.8", "fd00:1::8", "fd00:2::7")) {
            notices.tell(List.of(new Action.StateLost(subject(name, each), cause, 3)));
            var who = ": client 0a1b2c3d (name) at " + each + ", opens and lock owners: 3";
            assertTrue(lines.getLast().endsWith(who), lines::toString);
        }
        assertEquals(3, lines.size(), lines::toString);
    }

    /** Nor what happened in a /64 to others than the one that lost first. */
    @Test
    void noNeighborHidesThatADelegationWasTaken() throws Exception {
        var name = OpaqueName.of("a".getBytes(StandardCharsets.UTF_8));
        for (var each : List.of("fd00:1::7", "fd00:1::8")) {
            var why = Action.TakenBecause.NOT_RETURNED;
            notices.tell(List.of(new Action.DelegationTaken(subject(name, each), why)));
            assertTrue(lines.getLast().endsWith(" at " + each), lines::toString);
        }
    }

    @Test
    void tellsOfEachOfAFewDeniedHostsOnceAMinute() throws Exception {
        for (int i = 0; i < 100_000; i++) {
            notices.denied(InetAddress.ofLiteral("192.0.2." + i % 256));
        }
        assertEquals(128, lines.size(), lines::toString);
        assertTrue(lines.get(1).endsWith(": 192.0.2.1"), lines::toString);
    }

    @Test
    void noLocalUserKeepsDeniedHostsOutOfTheLog() throws Exception {
        for (int i = 1; i < 255; i++) {
            notices.denied(InetAddress.ofLiteral("127.0.0." + i));
        }
        notices.denied(InetAddress.ofLiteral("192.0.2.1"));
        assertEquals(2, lines.size(), lines::toString);
        assertTrue(lines.getLast().endsWith(": 192.0.2.1"), lines::toString);
    }

    @Test
    void tellsOfClientsThatGoAndOfDelegationsTakenFromThem() throws Exception {
        var name = OpaqueName.of("a\nb".getBytes(StandardCharsets.UTF_8));
        var address = InetAddress.ofLiteral("192.0.2.7");
        var host = new CallerHost(ClientAddress.of(address));
        for (var why : Action.Absence.values()) {
            var gone = new Action.ClientGone(subject(name, "192.0.2.7"), why, 3);
            notices.tell(List.of(gone, gone));
        }
        for (var why : Action.TakenBecause.values()) {
            var taken = new Action.DelegationTaken(subject(name, "192.0.2.7"), why);
            notices.tell(List.of(taken, taken));
        }
        var waits = new Action.LongWaits(subject(name, "192.0.2.7"));
        notices.tell(List.of(waits, waits));
        var who = "client 0a1b2c3d (hex:610a62) at 192.0.2.7";
        var held = ", opens, lock owners and delegations: 3";
        assertEquals(
                List.of(
                        "INFO a client has left: " + who,
                        "INFO a client has no connection any more: " + who + held,
                        "INFO the lease of a client has expired: "
                                + who
                                + held
                                + ", kept without locks until others need them",
                        "WARNING a delegation was taken from a client that did not return it in"
                                + " time: "
                                + who,
                        "WARNING a delegation was taken from a client that did not return it in"
                                + " time: "
                                + who
                                + "; the server's calls do not reach it, so look whether a firewall"
                                + " is between them",
                        "WARNING a delegation was taken from a client that was not called, because"
                                + " it left no slot for calls of the server free: "
                                + who,
                        "WARNING a delegation was taken from a client that was not called, because"
                                + " the server had no room for that while a local process waited: "
                                + who,
                        "WARNING others have waited for more than 10 seconds in an hour for"
                                + " delegations of a client; no client at its address gets any for an"
                                + " hour: "
                                + who),
                lines);
    }

    /** The second one of a network has a line of its own. */
    @Test
    void tellsWhoTriesVerifiersAndWhatFollowsForWhom() throws Exception {
        var name = OpaqueName.of("a".getBytes(StandardCharsets.UTF_8));
        var host = new CallerHost(ClientAddress.of(InetAddress.ofLiteral("fd00:1::f")));
        for (var place : List.of("fd00:1::f", "fd00:1::e")) {
            var tried = new Action.VerifiersTried(name, host, place, Action.Triers.PLACE);
            notices.tell(List.of(tried, tried));
        }
        notices.tell(
                List.of(new Action.VerifiersTried(name, host, "fd00:1::d", Action.Triers.HOST)));
        var guessed = " sent many verifiers with the names of clients of other addresses, as if ";
        var advice =
                " hour. If it is a gateway, or machines have one name, let each have its own"
                        + " (nfs4_unique_id of Linux)";
        var alone =
                " has"
                        + guessed
                        + "it guessed them; the last name: a. It counts as none of these clients"
                        + " until it has sent no other verifier for an"
                        + advice;
        assertEquals(
                List.of(
                        "WARNING fd00:1::f" + alone,
                        "WARNING fd00:1::e" + alone,
                        "WARNING addresses of fd00:1::/64 have"
                                + guessed
                                + "they guessed them; the last one: fd00:1::d, with the name a. Those"
                                + " that have sent any count as none of these clients until none has"
                                + " sent another one for an"
                                + advice),
                lines);
    }
}
