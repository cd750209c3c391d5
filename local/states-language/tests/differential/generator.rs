//! Small definitions made by a seed: always accepted, over what both interpreters do.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};

pub struct Generator {
    random: StdRng,
    /// Names are unique in a machine.
    names: u32,
    /// Whether the states being made stand in no other.
    outside: bool,
    /// Whether the definition may hold what the other engine is known to do differently. Most must not, so that nothing
    /// hides behind a known difference.
    quirks: bool,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self {
            random: StdRng::seed_from_u64(seed),
            names: 0,
            outside: true,
            quirks: false,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    fn maybe(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    pub fn input(&mut self) -> Value {
        let text = self.one(&["x", "abc", "a,b", "", "2024-05-01T12:00:00Z"]);
        let number = self.one(&[json!(0), json!(7), json!(-2), json!(1.5)]);
        let list: Vec<Value> = (0..1 + self.below(3))
            .map(|index| json!({ "n": index, "s": text }))
            .collect();
        let mut input =
            json!({ "a": number, "b": text, "c": { "d": [3, 1, 2, 1], "e": self.maybe(50), "f": null }, "l": list });
        if self.maybe(5)
            && let Some(fields) = input.as_object_mut()
        {
            let gone = self.one(&["a", "b", "c", "l"]);
            fields.remove(gone);
        }
        input
    }

    pub fn definition(&mut self) -> Value {
        self.names = 0;
        self.quirks = self.maybe(25);
        self.graph(2)
    }

    /// A chain of states whose Choices and Catches skip ahead to its end.
    fn graph(&mut self, depth: usize) -> Value {
        let count = 1 + self.below(4);
        let names: Vec<String> = (0..=count).map(|_| self.name()).collect();
        let last = &names[count];
        let mut states = Map::new();
        for (index, name) in names[..count].iter().enumerate() {
            let state = self.state(&names[index + 1], last, depth);
            states.insert(name.clone(), state);
        }
        let end = if self.maybe(6) {
            json!({ "Type": "Fail", "Error": "Given", "Cause": "up" })
        } else {
            self.filtered(json!({ "Type": "Succeed" }))
        };
        states.insert(last.clone(), end);
        json!({ "StartAt": names[0], "States": states })
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("S{}", self.names)
    }

    fn state(&mut self, next: &str, last: &str, depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 | 1 => {
                let state = self.pass(next);
                self.filtered(state)
            }
            2 | 3 => {
                let state = self.task(next, last);
                self.filtered(state)
            }
            4 => {
                let state = self.choice(next, last);
                self.filtered(state)
            }
            5 => self.filtered(json!({ "Type": "Wait", "Seconds": 0, "Next": next })),
            6 => {
                // Of several branches that fail, either may be the first: only one can.
                let mut branches = vec![self.inside(depth)];
                if self.maybe(50) {
                    let name = self.name();
                    branches
                        .push(json!({ "StartAt": name, "States": { name.clone(): { "Type": "Pass", "End": true } } }));
                }
                let state = json!({ "Type": "Parallel", "Branches": branches, "Next": next });
                self.result(state, last)
            }
            _ => {
                let processor = self.inside(depth);
                let mut state = json!({ "Type": "Map", "ItemsPath": self.one(&["$.l", "$.l", "$.l", "$.c.d"]), "MaxConcurrency": 1,
                    "ItemProcessor": processor, "Next": next });
                if self.maybe(50) {
                    state["ItemSelector"] = json!({ "i.$": "$$.Map.Item.Index", "v.$": "$$.Map.Item.Value",
                        "a.$": "$.a", "b.$": "$.b", "c.$": "$.c", "l.$": "$.l" });
                }
                self.result(state, last)
            }
        }
    }

    /// States in a branch: one that fails the first time only would depend on which branch came first.
    fn inside(&mut self, depth: usize) -> Value {
        let outside = std::mem::replace(&mut self.outside, false);
        let graph = self.graph(depth - 1);
        self.outside = outside;
        graph
    }

    /// What reads the context object, unless that is inside a Map or Parallel, where the other engine has another one.
    fn outside_or<'t>(&self, text: &'t str, instead: &'t str) -> &'t str {
        let allowed = self.quirks || self.outside || !text.starts_with("$$");
        if allowed { text } else { instead }
    }

    fn pass(&mut self, next: &str) -> Value {
        let mut state = json!({ "Type": "Pass", "Next": next });
        match self.below(3) {
            0 => state["Result"] = json!({ "r": [1, "two"] }),
            1 => state["Parameters"] = self.template(),
            _ => {}
        }
        self.place(state)
    }

    fn task(&mut self, next: &str, last: &str) -> Value {
        let kinds: &[&str] = if self.outside {
            &["echo", "wrap", "boom", "flaky"]
        } else {
            &["echo", "wrap", "boom"]
        };
        let resource = format!("arn:aws:lambda:eu-west-1:000000000000:function:{}", self.one(kinds));
        let mut state = json!({ "Type": "Task", "Resource": resource, "Next": next });
        if self.maybe(60) {
            state["Parameters"] = self.template();
        }
        if self.maybe(50) {
            let errors = self.one(&["Boom", "States.ALL", "States.TaskFailed", "Other"]);
            state["Retry"] = json!([{ "ErrorEquals": [errors], "MaxAttempts": self.below(3) }]);
        }
        self.result(state, last)
    }

    /// What a state that can fail does with its result and its errors.
    fn result(&mut self, mut state: Value, last: &str) -> Value {
        if self.maybe(20) {
            state["ResultSelector"] = json!({ "all.$": "$", "c": 1 });
        }
        if self.maybe(50) {
            let own = state["Type"] == "Task" || self.quirks;
            let errors = self.one(&[
                "Boom",
                "States.ALL",
                if own { "States.TaskFailed" } else { "Boom" },
                "Given",
                "Other",
            ]);
            let mut catcher = json!({ "ErrorEquals": [errors], "Next": last });
            if self.maybe(50) {
                catcher["ResultPath"] = json!("$.caught");
            }
            state["Catch"] = json!([catcher]);
        }
        self.place(state)
    }

    fn place(&mut self, mut state: Value) -> Value {
        if self.maybe(85) {
            let places = [
                json!("$.r"),
                json!("$.r"),
                json!("$.w.x"),
                json!("$.c.x.y"),
                json!(null),
            ];
            let quirks = [json!("$"), json!("$.r.x")];
            let quirk = self.quirks && self.maybe(10);
            state["ResultPath"] = self.one(if quirk { &quirks } else { &places });
        }
        state
    }

    fn filtered(&mut self, mut state: Value) -> Value {
        for field in ["InputPath", "OutputPath"] {
            if self.maybe(4) {
                state[field] = self.one(&[json!("$.c"), json!("$.l"), json!("$"), json!(null)]);
            }
        }
        state
    }

    fn template(&mut self) -> Value {
        let values = [
            "$.a",
            "$.b",
            "$.c.d",
            "$.c.d[0]",
            "$.c.d[1:3]",
            "$.c['e']",
            "$.l[*].n",
            "$.l[?(@.n >= 0)].n",
            "$.c.d[?(@ > 1)]",
            "$..e",
            "$$.Execution.Input",
            "$$.Execution.Input.b",
            "States.Array($.a, 'x', 1)",
            "States.ArrayPartition($.c.d, 3)",
            "States.ArrayContains($.c.d, 2)",
            "States.ArrayRange(1, 9, 3)",
            "States.ArrayGetItem($.c.d, 1)",
            "States.ArrayLength($.c.d)",
            "States.ArrayUnique($.c.d)",
            "States.Base64Encode($.b)",
            "States.Base64Decode('ZGF0YQ==')",
            "States.Hash($.b, 'SHA-256')",
            "States.JsonMerge(States.StringToJson('{\"a\":0,\"e\":0}'), $.c, false)",
            "States.JsonToString($.c)",
            "States.StringToJson('[1,{\"a\":null}]')",
            "States.MathAdd(7, -2)",
            "States.StringSplit('a,b', ',')",
            "States.Format('{} and {}', $.b, $.a)",
            "States.ArrayLength(States.Array(1, 2))",
        ];
        let quirks = [
            "$.c.d[-1]",
            "$.l[?(@.n > 9)].n",
            "$..gone",
            "States.Base64Decode('eMOk')",
            "States.StringSplit($.b, ',')",
            "States.JsonMerge($.c, States.StringToJson('{\"e\":1}'), false)",
        ];
        let mut template = json!({ "fixed": { "deep": [1, "$.a"] } });
        for index in 0..=self.below(3) {
            let quirk = self.quirks && self.maybe(20);
            let value = self.one(if quirk { quirks.as_slice() } else { values.as_slice() });
            template[format!("f{index}.$")] = json!(self.outside_or(value, "$.b"));
        }
        // Kept, so that what follows mostly finds something.
        for name in ["a", "b", "c", "l"] {
            if self.maybe(95) {
                template[format!("{name}.$")] = json!(format!("$.{name}"));
            }
        }
        template
    }

    fn choice(&mut self, next: &str, last: &str) -> Value {
        let mut rules: Vec<Value> = (0..1 + self.below(2)).map(|_| self.rule(2)).collect();
        for rule in &mut rules {
            rule["Next"] = json!(last);
        }
        json!({ "Type": "Choice", "Choices": rules, "Default": next })
    }

    fn rule(&mut self, depth: usize) -> Value {
        if depth > 0 && self.maybe(30) {
            return match self.below(3) {
                0 => json!({ "And": [self.rule(depth - 1), self.rule(depth - 1)] }),
                1 => json!({ "Or": [self.rule(depth - 1), self.rule(depth - 1)] }),
                _ => json!({ "Not": self.rule(depth - 1) }),
            };
        }
        let (variable, operator, operand) = self.one(&[
            ("$.a", "IsPresent", json!(true)),
            ("$.c.f", "IsNull", json!(true)),
            ("$.c.d[0]", "IsNumeric", json!(true)),
            ("$.b", "IsNumeric", json!(true)),
            ("$.b", "IsString", json!(true)),
            ("$.c.e", "IsBoolean", json!(true)),
            ("$.b", "IsTimestamp", json!(true)),
            ("$.a", "NumericEquals", json!(7)),
            ("$.a", "NumericLessThan", json!(1.25)),
            ("$.c.d[0]", "NumericGreaterThanEqualsPath", json!("$.a")),
            ("$$.Execution.Input.b", "StringEquals", json!("abc")),
            ("$.b", "StringLessThan", json!("b")),
            ("$.b", "StringEqualsPath", json!("$.b")),
            ("$.b", "StringMatches", json!("a*")),
            ("$.c.e", "BooleanEquals", json!(true)),
            ("$.c.e", "BooleanEqualsPath", json!("$.c.e")),
        ]);
        let variable = self.outside_or(variable, "$.b");
        if self.quirks && self.maybe(50) {
            let (operator, operand) = self.one(&[
                ("IsBoolean", json!(false)),
                ("IsPresent", json!(false)),
                ("StringMatches", json!("a*")),
                ("TimestampLessThan", json!("2025-01-01T00:00:00Z")),
                ("NumericLessThan", json!(1.25)),
                ("StringLessThan", json!("b")),
            ]);
            let variable = self.one(&["$.a", "$.b", "$.c.f", "$.c.d", "$.gone"]);
            return json!({ "Variable": variable, operator: operand });
        }
        json!({ "Variable": variable, operator: operand })
    }
}
