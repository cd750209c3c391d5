#!/usr/bin/env python3
"""Uses the local AWS port as an application does: with boto3, and with a state machine of its own.

Starts the system and the scripted partner itself, on free ports. Every wait has a deadline.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = ROOT / "target" / "debug"
DEADLINE_S = 60
ROLE = "arn:aws:iam::000000000000:role/nobody"
CIRCUIT = "wholesaler-stock"


class Program:
    """A child process that says on its standard output, as JSON, where it listens."""

    def __init__(self, name, *arguments):
        self.process = subprocess.Popen(
            [BINARIES / name, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def ready(self, key):
        """The first line of output that is a JSON object with this key."""
        found = []
        heard = threading.Event()

        def listen():
            # Reads on after the line was found, so that the child never waits for its reader.
            for line in self.process.stdout:
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                    if not found and isinstance(said, dict) and key in said:
                        found.append(said)
                        heard.set()
            heard.set()

        threading.Thread(target=listen, daemon=True).start()
        heard.wait(DEADLINE_S)
        if not found:
            raise RuntimeError(f"{self.process.args[0]} did not become ready")
        return found[0]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class Checks:
    """Counts what holds and what does not, and goes on."""

    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, expected, actual):
        if expected == actual:
            self.passed += 1
            print(f"  ok      {what}")
        else:
            self.failed += 1
            print(f"  FAILED  {what}\n          expected: {expected!r}\n          actual:   {actual!r}")

    def refused(self, what, code, call):
        try:
            call()
            actual = "no error"
        except ClientError as error:
            actual = error.response["Error"]["Code"]
        self.equal(what, code, actual)


def definition(table):
    """A machine that has nothing of the breaker: it looks an item up, and says what stands in it."""
    return json.dumps(
        {
            "StartAt": "Read Item",
            "States": {
                "Read Item": {
                    "Type": "Task",
                    "Resource": "arn:aws:states:::dynamodb:getItem",
                    "Parameters": {"TableName": table, "Key": {"circuit": {"S.$": "$.key"}}},
                    "ResultPath": "$.read",
                    "TimeoutSeconds": 5,
                    "Next": "Is There One?",
                },
                "Is There One?": {
                    "Type": "Choice",
                    "Choices": [{"Variable": "$.read.Item.note.S", "IsPresent": True, "Next": "Say It"}],
                    "Default": "Nothing There",
                },
                "Say It": {"Type": "Pass", "Parameters": {"note.$": "$.read.Item.note.S"}, "End": True},
                "Nothing There": {"Type": "Fail", "Error": "NothingThere", "Cause": "no item of this key"},
            },
        }
    )


def write_policy(folder, partner):
    policy = {
        "circuit": CIRCUIT,
        "route": {"method": "GET", "path": "/books/{isbn}/delivery-time"},
        "params": {"isbn": "[0-9]{10}|[0-9]{13}"},
        "call": {"url": partner + "/api/stock/{isbn}", "timeoutMs": 2000},
        "fallback": {"body": {"deliveryDays": None}},
    }
    (pathlib.Path(folder) / f"{CIRCUIT}.json").write_text(json.dumps(policy))


def started_to_its_end(sfn, machine, given):
    """Starts an execution the asynchronous way and describes it until it is over."""
    started = sfn.start_execution(stateMachineArn=machine, name=f"sdk-{uuid.uuid4()}", input=json.dumps(given))
    end = time.monotonic() + DEADLINE_S
    while True:
        described = sfn.describe_execution(executionArn=started["executionArn"])
        if described["status"] != "RUNNING":
            return described
        if time.monotonic() > end:
            raise RuntimeError(f"the execution was still running after {DEADLINE_S} s")
        time.sleep(0.02)


def use_step_functions(checks, sfn, table, key):
    created = sfn.create_state_machine(
        name=f"sdk-{uuid.uuid4().hex[:8]}", definition=definition(table), roleArn=ROLE, type="EXPRESS"
    )
    machine = created["stateMachineArn"]
    described = sfn.describe_state_machine(stateMachineArn=machine)
    checks.equal("a created machine is described as it was given", definition(table), described["definition"])
    listed = [each["stateMachineArn"] for paged in sfn.get_paginator("list_state_machines").paginate()
              for each in paged["stateMachines"]]
    checks.equal("it is listed", True, machine in listed)

    together = sfn.start_sync_execution(stateMachineArn=machine, input=json.dumps({"key": key}))
    checks.equal("started synchronously, it succeeds", "SUCCEEDED", together["status"])
    checks.equal("its output is what stands in the item", {"note": "from boto3"}, json.loads(together["output"]))
    apart = started_to_its_end(sfn, machine, {"key": key})
    checks.equal("started asynchronously, it succeeds too", "SUCCEEDED", apart["status"])
    checks.equal("with the same output", together["output"], apart["output"])

    for way, ended in [
        ("synchronously", sfn.start_sync_execution(stateMachineArn=machine, input='{"key": "no-such-item"}')),
        ("asynchronously", started_to_its_end(sfn, machine, {"key": "no-such-item"})),
    ]:
        failure = (ended["status"], ended.get("error"), ended.get("cause"))
        checks.equal(f"a failure is told {way}", ("FAILED", "NothingThere", "no item of this key"), failure)

    checks.refused(
        "a machine that leads nowhere is refused",
        "InvalidDefinition",
        lambda: sfn.create_state_machine(
            name="nowhere",
            definition='{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}}}',
            roleArn=ROLE,
            type="EXPRESS",
        ),
    )
    sfn.delete_state_machine(stateMachineArn=machine)
    checks.refused(
        "a deleted machine can't be started",
        "StateMachineDoesNotExist",
        lambda: sfn.start_sync_execution(stateMachineArn=machine, input="{}"),
    )


def use_lambda(checks, functions, partner):
    name = f"call-partner-{CIRCUIT}"
    payload = {
        "policy": {
            "circuit": CIRCUIT,
            "params": {"isbn": "[0-9]{13}"},
            "call": {
                "method": "GET",
                "url": partner + "/api/stock/{isbn}",
                "headers": {},
                "timeoutMs": 2000,
                "maxResponseBytes": 1000,
            },
        },
        "params": {"isbn": "9783161484100"},
        "circuit": {},
    }
    answered = functions.invoke(FunctionName=name, Payload=json.dumps(payload))
    result = json.loads(answered["Payload"].read())
    checks.equal("an invoked function answers", (200, None), (answered["StatusCode"], answered.get("FunctionError")))
    checks.equal("its outcome is a success", "success", result.get("outcome", {}).get("verdict"))
    checks.equal("with the partner's answer", '{"partner":"scripted"}', result.get("answer", {}).get("body"))

    answered = functions.invoke(FunctionName=name, Payload=json.dumps({"nonsense": True}))
    result = json.loads(answered["Payload"].read())
    checks.equal("a function's error is a 200 that says so", (200, True),
                 (answered["StatusCode"], bool(answered.get("FunctionError"))))
    checks.equal("by the name that the definition matches", "Stepbreaker.BadPayload", result.get("errorType"))
    checks.refused("an unknown function is refused", "ResourceNotFoundException",
                   lambda: functions.invoke(FunctionName="no-such-function", Payload="{}"))


def use_all(checks, aws, partner):
    options = {
        "endpoint_url": aws,
        "region_name": "eu-central-1",
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
    }
    patient = {"connect_timeout": 5, "read_timeout": 30, "retries": {"total_max_attempts": 1}}
    # boto3 would put "sync-" before the host of StartSyncExecution.
    sfn = boto3.client("stepfunctions", config=Config(inject_host_prefix=False, **patient), **options)
    dynamodb = boto3.client("dynamodb", config=Config(**patient), **options)
    functions = boto3.client("lambda", config=Config(**patient), **options)

    tables = dynamodb.list_tables()["TableNames"]
    checks.equal("there is one table", 1, len(tables))
    key = f"sdk-{uuid.uuid4()}"
    item = {"circuit": {"S": key}, "note": {"S": "from boto3"}}
    dynamodb.put_item(TableName=tables[0], Item=item)
    read = dynamodb.get_item(TableName=tables[0], Key={"circuit": {"S": key}})
    checks.equal("an item that was put is read", item, read.get("Item"))
    checks.refused(
        "a condition that does not hold is refused",
        "ConditionalCheckFailedException",
        lambda: dynamodb.put_item(
            TableName=tables[0], Item=item, ConditionExpression="attribute_not_exists(circuit)"
        ),
    )
    use_step_functions(checks, sfn, tables[0], key)
    use_lambda(checks, functions, partner)


def main():
    # Nothing of the developer's own account or proxy is used.
    for name in [name for name in os.environ if name.startswith("AWS_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="stepbreaker-sdk-") as circuits, contextlib.ExitStack() as programs:
        partner_program = Program("scripted-partner", "--port", "0", "--control-port", "0")
        programs.callback(partner_program.stop)
        partner = partner_program.ready("partner")["partner"]
        write_policy(circuits, partner)
        system = Program(
            "stepbreaker-local", "--circuits", circuits, "--port", "0", "--aws-port", "0", "--log-format", "json"
        )
        programs.callback(system.stop)
        aws = system.ready("aws")["aws"]
        print(f"The AWS port at {aws}:")
        try:
            use_all(checks, aws, partner)
        except Exception:
            # What was checked so far is still worth telling.
            traceback.print_exc()
            checks.failed += 1
    print(f"\n{checks.passed} passed, {checks.failed} failed")
    return 0 if checks.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
