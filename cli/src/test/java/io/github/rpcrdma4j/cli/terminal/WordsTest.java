package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: sizes, times, owners and patterns mean what users mean by them. */
class WordsTest {
    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");

    private static Instant time(String text) {
        return TimeText.parse(text, NOW, ZoneOffset.ofHours(1));
    }

    @Test
    void readsSizesWithUnits() {
        assertEquals(0, SizeText.parse("0"));
        assertEquals(1536, SizeText.parse("1536"));
        assertEquals(10 << 20, SizeText.parse("10M"));
        assertEquals(2048, SizeText.parse("2k"));
        assertEquals(3L << 30, SizeText.parse("3GiB"));
        for (var wrong : List.of("", "M", "-1", "1.5M", "9999999999999T", "1X")) {
            assertThrows(IllegalArgumentException.class, () -> SizeText.parse(wrong), wrong);
        }
    }

    @Test
    void readsTimesAndAges() {
        assertEquals(Instant.parse("2026-01-30T23:00:00Z"), time("2026-01-31"));
        assertEquals(Instant.parse("2026-01-31T11:30:00Z"), time("2026-01-31T12:30"));
        assertEquals(Instant.parse("2026-01-31T11:30:07Z"), time("2026-01-31 12:30:07"));
        assertEquals(Instant.parse("2026-01-31T12:30:00Z"), time("2026-01-31T12:30:00Z"));
        assertEquals(NOW.minusSeconds(7 * 86_400), time("7d"));
        assertEquals(NOW.minusSeconds(90), time("90s"));
        for (var wrong : List.of("", "yesterday", "2026-13-01", "7", "7y", "2026-01-31T25:00")) {
            assertThrows(IllegalArgumentException.class, () -> time(wrong), wrong);
        }
    }

    @Test
    void readsOwnersAsNumbersAndNames() {
        assertEquals(
                new OwnerText(OptionalInt.of(7), OptionalInt.of(-2)),
                OwnerText.parse("7:4294967294"));
        assertEquals(
                new OwnerText(OptionalInt.of(0), OptionalInt.empty()), OwnerText.parse("root"));
        assertEquals(
                new OwnerText(OptionalInt.empty(), OptionalInt.of(0)), OwnerText.parse(":root"));
        for (var wrong : List.of("", ":", "4294967295", "no-such-user", "-1", "root:no-such")) {
            assertThrows(IllegalArgumentException.class, () -> OwnerText.parse(wrong), wrong);
        }
    }
}
