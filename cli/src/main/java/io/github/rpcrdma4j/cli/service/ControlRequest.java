package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.server.admin.Administration;
import io.github.rpcrdma4j.nfs.server.admin.ServedClient;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What an administrator asks of a server over its {@link ControlSocket}.
 *
 * <p>Tests: {@code ControlCommandsTest}.
 */
public sealed interface ControlRequest {
    /** Outcomes. */
    String OK = "ok";

    String MORE = "more";
    String FAILED = "failed ";

    /** The most entries of a list. */
    int ENTRIES_MAX = 10_000;

    /** Lists of what clients hold. */
    enum Subject {
        CLIENTS,
        SESSIONS,
        OPENS,
        DELEGATIONS,
        LOCKS,
        COPIES;

        private List<ControlEntry> entries(Administration administration, int max) {
            return switch (this) {
                case CLIENTS -> {
                    var entries = ControlEntry.clients(administration.clients(max));
                    var awaited = administration.awaited(max - entries.size());
                    yield Stream.concat(entries.stream(), ControlEntry.awaited(awaited).stream())
                            .toList();
                }
                case SESSIONS -> ControlEntry.sessions(administration.sessions(max));
                case OPENS -> ControlEntry.opens(administration.opens(max));
                case DELEGATIONS -> ControlEntry.delegations(administration.delegations(max));
                case LOCKS -> ControlEntry.locks(administration.locks(max));
                case COPIES -> ControlEntry.copies(administration.copies(max));
            };
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Lists something, each entry on a line. */
    record Show(Subject subject, boolean isJson) implements ControlRequest {}

    /**
     * Takes the opens and locks of a client.
     *
     * @param client its number, or the first half of it, as the log has it
     */
    record End(String client) implements ControlRequest {
        private static final String TEXT = "end ";
        private static final Pattern NUMBER = Pattern.compile("([0-9a-f]{8}){1,2}");

        /**
         * Returns the request of an administrator.
         *
         * @throws IllegalArgumentException if the text is no such number; the message is one line
         */
        public static End of(String text) {
            var number = text.toLowerCase(Locale.ROOT);
            if (!NUMBER.matcher(number).matches()) {
                throw new IllegalArgumentException(
                        "not the number of a client as rpcrdma clients or the log shows it: "
                                + text);
            }
            return new End(number);
        }
    }

    /** Has the server read its config file again. */
    public record Reload() implements ControlRequest {
        private static final String TEXT = "reload";
    }

    /** Returns all metrics, in the text format of Prometheus. */
    public record Metrics() implements ControlRequest {
        private static final String TEXT = "metrics";
    }

    /** Returns the line that asks for this. */
    default String text() {
        return switch (this) {
            case Show(var subject, var isJson) -> subject.word() + (isJson ? " json" : "");
            case End(var client) -> End.TEXT + client;
            case Reload() -> Reload.TEXT;
            case Metrics() -> Metrics.TEXT;
        };
    }

    /** Returns the request of a line, or nothing if there is none like it. */
    static Optional<ControlRequest> parse(String text) {
        if (text.equals(Reload.TEXT)) {
            return Optional.of(new Reload());
        }
        if (text.equals(Metrics.TEXT)) {
            return Optional.of(new Metrics());
        }
        if (text.startsWith(End.TEXT)) {
            try {
                return Optional.of(End.of(text.substring(End.TEXT.length())));
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
        }
        return Arrays.stream(Subject.values())
                .<ControlRequest>mapMulti(
                        (subject, next) -> {
                            next.accept(new Show(subject, false));
                            next.accept(new Show(subject, true));
                        })
                .filter(each -> each.text().equals(text))
                .findFirst();
    }

    /**
     * Carries the request out.
     *
     * @param lines receives the lines for the user
     * @return the outcome
     */
    default String answer(ControlledServer server, Consumer<String> lines) {
        var administration = server.administration();
        return switch (this) {
            case Show(var subject, var isJson) -> {
                var entries = subject.entries(administration, ENTRIES_MAX + 1);
                entries.stream()
                        .limit(ENTRIES_MAX)
                        .map(each -> isJson ? Json.of(each.fields()) : each.words())
                        .forEach(lines);
                if (entries.isEmpty() && !isJson) {
                    lines.accept("no " + subject.word());
                }
                yield entries.size() > ENTRIES_MAX ? MORE : OK;
            }
            case End(var client) -> end(administration, client, lines);
            case Reload() -> reload(server.reload(), lines);
            case Metrics() -> {
                server.metrics().get().lines().forEach(lines);
                yield OK;
            }
        };
    }

    private static String reload(ControlledServer.Reload reload, Consumer<String> lines) {
        try {
            reload.reload(lines);
            return OK;
        } catch (IOException wrong) {
            return FAILED + Printable.line(wrong.getMessage());
        }
    }

    private static String end(
            Administration administration, String client, Consumer<String> lines) {
        var meant =
                administration.clients(Integer.MAX_VALUE).stream()
                        .map(ServedClient::id)
                        .filter(each -> ControlEntry.id(each).startsWith(client))
                        .toList();
        if (meant.size() > 1) {
            return FAILED + "several clients have numbers that begin with " + client;
        }
        try {
            var ended =
                    meant.isEmpty()
                            ? Optional.<ServedClient>empty()
                            : administration.end(meant.getFirst());
            ended.map(ControlEntry::ended).ifPresent(lines);
            return ended.isPresent() ? OK : FAILED + "there is no client " + client;
        } catch (IOException failed) {
            return FAILED + Printable.line(failed.getMessage());
        }
    }
}
