package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Operation;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The operations of a COMPOUND: {@code nfs_opnum4} (RFC 7862, Section 15; RFC 8276, Section 8.4).
 * Those without decoders are carried out by no server here; {@link Operation} has the numbers and
 * layouts of all.
 *
 * <p>Tests: {@code OperationRulesTest}, {@code VectorOperationsTest}.
 */
public enum Opcode {
    ACCESS(AttributeArguments.Access::decode, AttributeResult.Access::decode),
    CLOSE(StateArguments.Close::decode, StateResult.Close::decode),
    COMMIT(DataArguments.Commit::decode, DataResult.Commit::decode),
    CREATE(NameArguments.Create::decode, NameResult.Create::decode),
    DELEGPURGE,
    DELEGRETURN(StateArguments.DelegReturn::decode),
    GETATTR(AttributeArguments.GetAttr::decode, AttributeResult.GetAttr::decode),
    GETFH(_ -> new HandleArguments.GetFh(), HandleResult.GetFh::decode),
    LINK(NameArguments.Link::decode, NameResult.Link::decode),
    LOCK(LockArguments.Lock::decode, LockResult.Lock::decode),
    LOCKT(LockArguments.LockT::decode),
    LOCKU(LockArguments.LockU::decode, LockResult.LockU::decode),
    LOOKUP(HandleArguments.Lookup::decode),
    LOOKUPP(_ -> new HandleArguments.LookupP()),
    NVERIFY(AttributeArguments.NVerify::decode),
    OPEN(StateArguments.Open::decode, StateResult.Open::decode),
    OPENATTR(AttributeArguments.OpenAttr::decode),
    OPEN_CONFIRM(StateArguments.OpenConfirm::decode, StateResult.OpenConfirm::decode),
    OPEN_DOWNGRADE(StateArguments.OpenDowngrade::decode, StateResult.OpenDowngrade::decode),
    PUTFH(HandleArguments.PutFh::decode),
    PUTPUBFH(_ -> new HandleArguments.PutPubFh()),
    PUTROOTFH(_ -> new HandleArguments.PutRootFh()),
    READ(DataArguments.Read::decode, DataResult.Read::decode),
    READDIR(NameArguments.ReadDir::decode, NameResult.ReadDir::decode),
    READLINK(_ -> new NameArguments.ReadLink(), NameResult.ReadLink::decode),
    REMOVE(NameArguments.Remove::decode, NameResult.Remove::decode),
    RENAME(NameArguments.Rename::decode, NameResult.Rename::decode),
    RENEW(LeaseArguments.Renew::decode),
    RESTOREFH(_ -> new HandleArguments.RestoreFh()),
    SAVEFH(_ -> new HandleArguments.SaveFh()),
    SECINFO(HandleArguments.SecInfo::decode, HandleResult.SecInfo::decode),
    SETATTR(AttributeArguments.SetAttr::decode, AttributeResult.SetAttr::decode),
    SETCLIENTID(LeaseArguments.SetClientId::decode, LeaseResult.SetClientId::decode),
    SETCLIENTID_CONFIRM(LeaseArguments.SetClientIdConfirm::decode),
    VERIFY(AttributeArguments.Verify::decode),
    WRITE(DataArguments.Write::decode, DataResult.Write::decode),
    RELEASE_LOCKOWNER(LeaseArguments.ReleaseLockOwner::decode),
    BACKCHANNEL_CTL(SessionArguments.BackchannelCtl::decode),
    BIND_CONN_TO_SESSION(
            SessionArguments.BindConnToSession::decode, SessionResult.BindConnToSession::decode),
    EXCHANGE_ID(SessionArguments.ExchangeId::decode, SessionResult.ExchangeId::decode),
    CREATE_SESSION(SessionArguments.CreateSession::decode, SessionResult.CreateSession::decode),
    DESTROY_SESSION(SessionArguments.DestroySession::decode),
    FREE_STATEID(StateArguments.FreeStateId::decode),
    GET_DIR_DELEGATION,
    GETDEVICEINFO,
    GETDEVICELIST,
    LAYOUTCOMMIT,
    LAYOUTGET,
    LAYOUTRETURN,
    SECINFO_NO_NAME(HandleArguments.SecInfoNoName::decode, HandleResult.SecInfoNoName::decode),
    SEQUENCE(SessionArguments.Sequence::decode, SessionResult.Sequence::decode),
    SET_SSV(SessionArguments.SetSsv::decode, SessionResult.SetSsv::decode),
    TEST_STATEID(StateArguments.TestStateId::decode, StateResult.TestStateId::decode),
    WANT_DELEGATION,
    DESTROY_CLIENTID(SessionArguments.DestroyClientId::decode),
    RECLAIM_COMPLETE(SessionArguments.ReclaimComplete::decode),
    ALLOCATE(DataArguments.Allocate::decode),
    COPY(CopyArguments.Copy::decode, CopyResult.Copy::decode),
    COPY_NOTIFY(CopyArguments.CopyNotify::decode, CopyResult.CopyNotify::decode),
    DEALLOCATE(DataArguments.Deallocate::decode),
    IO_ADVISE(DataArguments.IoAdvise::decode, DataResult.IoAdvise::decode),
    LAYOUTERROR,
    LAYOUTSTATS,
    OFFLOAD_CANCEL(CopyArguments.OffloadCancel::decode),
    OFFLOAD_STATUS(CopyArguments.OffloadStatus::decode, CopyResult.OffloadStatus::decode),
    READ_PLUS(DataArguments.ReadPlus::decode, DataResult.ReadPlus::decode),
    SEEK(DataArguments.Seek::decode, DataResult.Seek::decode),
    WRITE_SAME,
    CLONE(CopyArguments.Clone::decode),
    GETXATTR(XattrArguments.GetXattr::decode, XattrResult.GetXattr::decode),
    SETXATTR(XattrArguments.SetXattr::decode, XattrResult.SetXattr::decode),
    LISTXATTRS(XattrArguments.ListXattrs::decode, XattrResult.ListXattrs::decode),
    REMOVEXATTR(XattrArguments.RemoveXattr::decode, XattrResult.RemoveXattr::decode),
    ILLEGAL;

    private static final Map<Integer, Opcode> BY_NUMBER = new HashMap<>();

    static {
        for (var each : values()) {
            BY_NUMBER.put(each.number(), each);
        }
    }

    private final Operation operation;
    private final Optional<XdrArrays.Decoder<Arguments>> arguments;
    private final Optional<XdrArrays.Decoder<Result>> results;

    /** An operation that no server here carries out. */
    Opcode() {
        this(Optional.empty(), Optional.empty());
    }

    /** An operation whose success has no values. */
    Opcode(XdrArrays.Decoder<Arguments> arguments) {
        this(Optional.of(arguments), Optional.empty());
    }

    Opcode(XdrArrays.Decoder<Arguments> arguments, XdrArrays.Decoder<Result> results) {
        this(Optional.of(arguments), Optional.of(results));
    }

    Opcode(
            Optional<XdrArrays.Decoder<Arguments>> arguments,
            Optional<XdrArrays.Decoder<Result>> results) {
        this.operation = Operation.of(CompoundKind.COMPOUND, name()).orElseThrow();
        this.arguments = arguments;
        this.results = results;
    }

    /** Returns the number on the wire. */
    public int number() {
        return operation.number();
    }

    /** Returns the operation with its layouts. */
    public Operation operation() {
        return operation;
    }

    /** Returns whether only minor version 0 has it (RFC 8881, Section 17). */
    public boolean endsWithVersion0() {
        return switch (this) {
            case OPEN_CONFIRM, RENEW, SETCLIENTID, SETCLIENTID_CONFIRM, RELEASE_LOCKOWNER -> true;
            default -> false;
        };
    }

    /** Returns the operation of a number, or nothing if no minor version has it. */
    public static Optional<Opcode> of(int number) {
        return Optional.ofNullable(BY_NUMBER.get(number));
    }

    /** Reads the arguments behind the number. */
    Arguments decodeArguments(int minorVersion, XdrReader in) throws XdrException {
        return arguments.isPresent() && !(minorVersion > 0 && endsWithVersion0())
                ? arguments.get().decode(in)
                : Arguments.NotSupported.decode(this, in);
    }

    /** Reads the values of a success. */
    Result decodeSuccess(XdrReader in) throws XdrException {
        if (results.isPresent()) {
            return results.get().decode(in);
        }
        if (operation.hasValues(0)) {
            throw new XdrException("the values of " + this + " are not known");
        }
        return new Result.Done(this);
    }
}
