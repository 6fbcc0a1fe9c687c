package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Converts records of the wire to values of a JSON document, each field under its own name. */
final class RecordFields {
    private RecordFields() {}

    /** Returns the fields of a record, with its type as the first entry {@code kind}. */
    static Map<String, Object> of(Record value) {
        var map = new LinkedHashMap<String, Object>();
        map.put("kind", value.getClass().getSimpleName());
        map.putAll(plain(value));
        return map;
    }

    /** Returns the fields of a record without its type. */
    static Map<String, Object> plain(Record value) {
        var map = new LinkedHashMap<String, Object>();
        for (var component : value.getClass().getRecordComponents()) {
            map.put(component.getName(), json(component.getName(), get(component, value)));
        }
        return map;
    }

    private static Object get(RecordComponent component, Record value) {
        try {
            return component.getAccessor().invoke(value);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError("a record shows its components", impossible);
        }
    }

    private static Object json(String name, Object value) {
        return switch (value) {
            case Segment segment -> LayerJson.segment(segment);
            case Record each -> of(each);
            case Optional<?> optional -> optional.map(each -> json(name, each)).orElse(null);
            case List<?> list -> list.stream().map(each -> json(name, each)).toList();
            case Enum<?> each -> each.name().toLowerCase(Locale.ROOT);
            case Integer word when name.equals("xid") -> LayerJson.hex(word);
            case Integer word -> Integer.toUnsignedLong(word);
            case Byte oneByte -> Byte.toUnsignedInt(oneByte);
            default -> value;
        };
    }
}
