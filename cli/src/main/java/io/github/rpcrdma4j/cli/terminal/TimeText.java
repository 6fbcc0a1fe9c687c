package io.github.rpcrdma4j.cli.terminal;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;

/** Parses times as users write them. */
public final class TimeText {
    private static final Pattern AGE = Pattern.compile("([0-9]{1,9})([smhdw])");

    /** How a help page describes a time. */
    public static final String FORMS =
            "2026-01-31, 2026-01-31T23:59, or an age such as 30m, 12h, 7d, 2w";

    private TimeText() {}

    /**
     * Returns the instant of a time: a date, a date with a time of day, which may name its zone, or
     * an age before now.
     *
     * @throws IllegalArgumentException if it is none of them; the message tells a user why
     */
    public static Instant parse(String text, Instant now, ZoneId zone) {
        var age = AGE.matcher(text);
        if (age.matches()) {
            return now.minus(unit(age.group(2)).multipliedBy(Long.parseLong(age.group(1))));
        }
        try {
            if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) {
                return LocalDate.parse(text).atStartOfDay(zone).toInstant();
            }
            var whole = text.replace(' ', 'T');
            return whole.matches(".*T.*(Z|[-+][0-9:]+)")
                    ? OffsetDateTime.parse(whole).toInstant()
                    : LocalDateTime.parse(whole).atZone(zone).toInstant();
        } catch (DateTimeParseException _) {
            throw new IllegalArgumentException("a time is " + FORMS + "; not " + text);
        }
    }

    /** Returns the instant of a time of this machine, as seen now. */
    public static Instant parse(String text) {
        return parse(text, Instant.now(), ZoneId.systemDefault());
    }

    private static Duration unit(String letter) {
        return switch (letter) {
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            case "d" -> Duration.ofDays(1);
            default -> Duration.ofDays(7);
        };
    }
}
